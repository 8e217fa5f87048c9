import SwiftSyntax

/// One property of a model, as it is to be declared.
struct PropertyMigration {
  /// What comes behind `var`: name, type, value and observers.
  var declaration: String
  /// What `@Persisted` is given.
  var argument = ""
  /// What the rest of the program has to be changed in.
  var note: String?

  /// Nil for a property that is not stored, or is declared in the new way already.
  init?(
    _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax, _ options: ModelOptions,
    isMember: Bool
  ) {
    guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
      return nil
    }
    let isDynamic = variable.modifiers.contains { $0.name.text == "dynamic" } || isMember
    let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    let form = PropertyForm(binding)
    switch form {
    case .collection(let type) where isConstant || isDynamic: declaration = "\(name): \(type)"
    case .linking(let type, let origin) where isConstant || isDynamic:
      declaration = "\(name): LinkingObjects<\(type)>"
      argument = "originProperty: \(origin)"
    case .boxed(let type, let value) where isConstant || isDynamic:
      declaration = "\(name): \(type)\(value.map { " = \($0)" } ?? "")"
      note = "'\(name)' holds its value itself now: replace '\(name).value' by '\(name)'"
    case .plain where isDynamic && !isConstant && !binding.isComputed:
      declaration = binding.with(\.trailingComma, nil).trimmedDescription
    default: return nil
    }
    if name == options.primaryKey {
      argument = "primaryKey: true"
    } else if options.indexed.contains(name) {
      argument = "indexed: true"
    }
  }

  /// - Parameter prefix: other attributes and modifiers.
  func text(_ prefix: (attributes: String, modifiers: String)) -> String {
    let wrapper = argument.isEmpty ? "@Persisted" : "@Persisted(\(argument))"
    return "\(prefix.attributes)\(wrapper) \(prefix.modifiers)var \(declaration)"
  }
}

/// How a property was declared for Objective-C.
private enum PropertyForm {
  /// `let dogs = List<Dog>()`
  case collection(type: String)
  /// `let owners = LinkingObjects(fromType: Person.self, property: "dogs")`
  case linking(type: String, origin: String)
  /// `let age = RealmOptional<Int>(3)`
  case boxed(type: String, value: String?)
  case plain

  private static let collections: Set<String> = ["List", "MutableSet", "Map"]

  init(_ binding: PatternBindingSyntax) {
    self = .plain
    let annotated = binding.typeAnnotation?.type.as(IdentifierTypeSyntax.self)
    let call = binding.initializer?.value.as(FunctionCallExprSyntax.self)
    let special = call?.calledExpression.as(GenericSpecializationExprSyntax.self)
    let name =
      annotated?.name.text ?? special?.expression.trimmedDescription
      ?? call?.calledExpression.trimmedDescription
    let arguments =
      annotated?.genericArgumentClause?.arguments.trimmedDescription
      ?? special?.genericArgumentClause.arguments.trimmedDescription
    guard let name, call != nil else { return }
    if name == "LinkingObjects" {
      guard let type = call?.argument("fromType"), let origin = call?.argument("property") else {
        return
      }
      let className = type.hasSuffix(".self") ? String(type.dropLast(5)) : type
      self = .linking(type: className, origin: origin)
    } else if let arguments, Self.collections.contains(name) {
      self = .collection(type: "\(name)<\(arguments)>")
    } else if let arguments, name == "RealmOptional" || name == "RealmProperty" {
      let isOptional = name == "RealmOptional"
      self = .boxed(
        type: isOptional ? "\(arguments)?" : arguments,
        value: isOptional ? call?.arguments.first?.expression.trimmedDescription : nil)
    }
  }
}

extension FunctionCallExprSyntax {
  fileprivate func argument(_ label: String) -> String? {
    arguments.first { $0.label?.text == label }?.expression.trimmedDescription
  }
}

extension PatternBindingSyntax {
  /// Whether it has a getter, and not only observers.
  fileprivate var isComputed: Bool {
    guard let block = accessorBlock else { return false }
    guard case .accessors(let accessors) = block.accessors else { return true }
    return accessors.contains { accessor in
      !["willSet", "didSet"].contains(accessor.accessorSpecifier.text)
    }
  }
}
