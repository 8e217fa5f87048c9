import SwiftParser
import SwiftSyntax

/// Rewrites models that were written for Objective-C (`@objc dynamic var`,
/// `let dogs = List<Dog>()`, `primaryKey()`) to `@Persisted`. All that is not a model stays as it
/// is, to the byte.
public struct ModelMigration {
  /// Something that a person has to look at.
  public struct Note: Hashable, Sendable {
    /// Of the original source, from 1.
    public let line: Int
    public let text: String
  }

  /// One migrated source.
  public struct Result: Sendable {
    public let text: String
    public let notes: [Note]
  }

  private let sources: [(text: String, tree: SourceFileSyntax)]
  private var classes = ModelClasses()

  /// Classes may descend from classes of any of the sources.
  public init(_ sources: [String]) {
    self.sources = sources.map { ($0, Parser.parse(source: $0)) }
    for source in self.sources { classes.add(source.tree) }
  }

  /// The sources as they should be, in the same order.
  public func run() -> [Result] {
    sources.map { source in
      let visitor = MigrationVisitor(classes, source.tree)
      visitor.walk(source.tree)
      return Result(
        text: source.text.applying(visitor.edits),
        notes: visitor.notes.sorted { ($0.line, $0.text) < ($1.line, $1.text) })
    }
  }
}

/// Finds what has to be changed in one source.
private final class MigrationVisitor: SyntaxVisitor {
  private let classes: ModelClasses
  private let locations: SourceLocationConverter
  var edits: [SourceEdit] = []
  var notes: [ModelMigration.Note] = []

  init(_ classes: ModelClasses, _ tree: SourceFileSyntax) {
    self.classes = classes
    locations = SourceLocationConverter(fileName: "", tree: tree)
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    if classes.isModel(node) { migrate(node) }
    return .visitChildren
  }

  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    for inherited in node.inheritanceClause?.inheritedTypes ?? []
    where inherited.type.trimmedDescription == "RealmEnum" {
      replace(inherited.type, with: "PersistableEnum")
      remove(node.attributes, named: ["objc"])
    }
    return .visitChildren
  }

  private func migrate(_ node: ClassDeclSyntax) {
    let options = ModelOptions(node.memberBlock.members)
    for member in options.understood { remove(member) }
    for function in options.unclear {
      note(function, "'\(function.name.text)' does more than return names: rewrite it by hand")
    }
    let isMember = node.attributes.contains { $0.name == "objcMembers" }
    remove(node.attributes, named: ["objcMembers", "objc"])
    if classes.isRootModel(node) { markOverrides(node) }
    for member in node.memberBlock.members {
      guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
      migrate(variable, options, isMember: isMember)
    }
  }

  /// `init()` of the library's classes is not `required`: a model that makes it so overrides it.
  private func markOverrides(_ node: ClassDeclSyntax) {
    for member in node.memberBlock.members {
      guard let initialiser = member.decl.as(InitializerDeclSyntax.self),
        initialiser.signature.parameterClause.parameters.isEmpty,
        let required = initialiser.modifiers.first(where: { $0.name.text == "required" }),
        !initialiser.modifiers.contains(where: { $0.name.text == "override" })
      else { continue }
      replace(required, with: "required override")
    }
  }

  private func migrate(
    _ variable: VariableDeclSyntax, _ options: ModelOptions, isMember: Bool
  ) {
    if variable.attributes.contains(where: { $0.name == "Persisted" }) || variable.isOfTheClass {
      return
    }
    let names = variable.bindings.compactMap {
      $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    }
    if names.contains(where: options.ignored.contains) { return makePlain(variable) }
    let migrated = variable.bindings.compactMap {
      PropertyMigration($0, of: variable, options, isMember: isMember)
    }
    guard migrated.count == variable.bindings.count, !migrated.isEmpty else { return }
    for text in migrated.compactMap(\.note) { note(variable, text) }
    let prefix = (attributes: variable.keptAttributes, modifiers: variable.keptModifiers)
    let indent =
      variable.leadingTrivia.description.split(
        separator: "\n", omittingEmptySubsequences: false
      ).last.map(String.init) ?? ""
    replace(variable, with: migrated.map { $0.text(prefix) }.joined(separator: "\n" + indent))
  }

  /// A property that is not stored: a Swift one from now on.
  private func makePlain(_ variable: VariableDeclSyntax) {
    let bindings = variable.bindings.trimmedDescription
    replace(
      variable,
      with: variable.keptAttributes + variable.keptModifiers
        + "\(variable.bindingSpecifier.text) \(bindings)")
  }

  // MARK: Edits

  private func replace(_ node: some SyntaxProtocol, with text: String) {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let end = node.endPositionBeforeTrailingTrivia.utf8Offset
    if node.trimmedDescription == text { return }
    edits.append(SourceEdit(range: start..<end, text: text))
  }

  /// With the empty lines and comments before it.
  private func remove(_ member: MemberBlockItemSyntax) {
    let range = member.position.utf8Offset..<member.endPosition.utf8Offset
    edits.append(SourceEdit(range: range, text: ""))
  }

  private func remove(_ attributes: AttributeListSyntax, named names: Set<String>) {
    for attribute in attributes where names.contains(attribute.name ?? "") {
      let start = attribute.positionAfterSkippingLeadingTrivia.utf8Offset
      let next = attribute.lastToken(viewMode: .sourceAccurate)?.nextToken(
        viewMode: .sourceAccurate)
      let end = next?.positionAfterSkippingLeadingTrivia.utf8Offset ?? start
      edits.append(SourceEdit(range: start..<end, text: ""))
    }
  }

  private func note(_ node: some SyntaxProtocol, _ text: String) {
    let line = locations.location(for: node.positionAfterSkippingLeadingTrivia).line
    notes.append(ModelMigration.Note(line: line, text: text))
  }
}

extension AttributeListSyntax.Element {
  fileprivate var name: String? {
    guard case .attribute(let attribute) = self else { return nil }
    return attribute.attributeName.trimmedDescription
  }
}

extension VariableDeclSyntax {
  fileprivate var isOfTheClass: Bool {
    modifiers.contains { $0.name.text == "class" || $0.name.text == "static" }
  }

  /// All attributes but `@objc`.
  fileprivate var keptAttributes: String {
    attributes.filter { $0.name != "objc" }.map { $0.trimmedDescription + " " }.joined()
  }

  /// All modifiers but `dynamic`.
  fileprivate var keptModifiers: String {
    modifiers.filter { $0.name.text != "dynamic" }.map { $0.trimmedDescription + " " }.joined()
  }
}
