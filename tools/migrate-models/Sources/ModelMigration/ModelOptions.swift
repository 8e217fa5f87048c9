import SwiftSyntax

/// What a class says about its properties in overridden functions: `primaryKey`,
/// `indexedProperties` and `ignoredProperties`.
struct ModelOptions {
  private(set) var primaryKey: String?
  private(set) var indexed: Set<String> = []
  private(set) var ignored: Set<String> = []
  /// The functions whose contents are understood, and which properties say from now on.
  private(set) var understood: [MemberBlockItemSyntax] = []
  /// The functions that say something that only a person understands.
  private(set) var unclear: [FunctionDeclSyntax] = []

  init(_ members: MemberBlockItemListSyntax) {
    for member in members {
      guard let function = member.decl.as(FunctionDeclSyntax.self), function.isOfTheClass,
        function.signature.parameterClause.parameters.isEmpty
      else { continue }
      let names = function.returnedNames
      switch function.name.text {
      case "primaryKey" where names != nil: primaryKey = names?.first
      case "indexedProperties" where names != nil: indexed = Set(names!)
      case "ignoredProperties" where names != nil: ignored = Set(names!)
      case "primaryKey", "indexedProperties", "ignoredProperties":
        unclear.append(function)
        continue
      default: continue
      }
      understood.append(member)
    }
  }
}

extension FunctionDeclSyntax {
  fileprivate var isOfTheClass: Bool {
    modifiers.contains { $0.name.text == "class" || $0.name.text == "static" }
  }

  /// The property names that the function's only statement returns; nil if it does more.
  fileprivate var returnedNames: [String]? {
    guard let statements = body?.statements, statements.count == 1,
      let item = statements.first?.item
    else { return nil }
    let value = item.as(ReturnStmtSyntax.self)?.expression ?? item.as(ExprSyntax.self)
    guard let value else { return nil }
    if let array = value.as(ArrayExprSyntax.self) {
      let names = array.elements.map { $0.expression.propertyName }
      return names.contains { $0 == nil } ? nil : names.compactMap { $0 }
    }
    if value.is(NilLiteralExprSyntax.self) { return [] }
    return value.propertyName.map { [$0] }
  }
}

extension ExprSyntax {
  /// The name in a string literal or in `#keyPath(Dog.name)`.
  var propertyName: String? {
    if let literal = self.as(StringLiteralExprSyntax.self) {
      return literal.representedLiteralValue
    }
    if let macro = self.as(MacroExpansionExprSyntax.self), macro.macroName.text == "keyPath",
      let path = macro.arguments.first?.expression.trimmedDescription
    {
      return path.split(separator: ".").last.map(String.init)
    }
    return nil
  }
}
