import SwiftSyntax

/// Which classes are models: those that descend from one of the library's, in whichever of the
/// sources that are migrated together.
struct ModelClasses {
  private static let roots: Set<String> = ["Object", "EmbeddedObject", "AsymmetricObject"]
  private var superclasses: [String: String] = [:]

  mutating func add(_ source: SourceFileSyntax) {
    let collector = Collector(viewMode: .sourceAccurate)
    collector.walk(source)
    superclasses.merge(collector.superclasses) { first, _ in first }
  }

  func isModel(_ declaration: ClassDeclSyntax) -> Bool {
    var seen: Set<String> = []
    var name = declaration.superclassName
    while let current = name, seen.insert(current).inserted {
      if Self.roots.contains(current) { return true }
      name = superclasses[current]
    }
    return false
  }

  /// Whether the class's superclass is one of the library's.
  func isRootModel(_ declaration: ClassDeclSyntax) -> Bool {
    declaration.superclassName.map(Self.roots.contains) ?? false
  }

  private final class Collector: SyntaxVisitor {
    var superclasses: [String: String] = [:]

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
      if let superclass = node.superclassName { superclasses[node.name.text] = superclass }
      return .visitChildren
    }
  }
}

extension ClassDeclSyntax {
  /// The first type that the class inherits from, without its module.
  fileprivate var superclassName: String? {
    inheritanceClause?.inheritedTypes.first.map { inherited in
      inherited.type.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
    }
  }
}
