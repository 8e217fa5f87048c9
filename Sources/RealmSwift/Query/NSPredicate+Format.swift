import Foundation

// `NSPredicate(format:)` is unavailable in Foundation on Linux. An initialiser of a protocol that
// `NSPredicate` conforms to is found in its place, and may return an instance of a subclass.

/// Gives `NSPredicate` its initialisers from format strings.
public protocol _NSPredicateFactory {}

extension NSPredicate: _NSPredicateFactory {}

extension _NSPredicateFactory where Self: NSPredicate {
  /// A predicate for `filter(_:)` and its like. Text that cannot be read is a misuse.
  public init(format: String, _ arguments: Any?...) {
    self = RealmPredicate(format, arguments) as! Self
  }

  /// A predicate for `filter(_:)` and its like. Text that cannot be read is a misuse.
  public init(format: String, argumentArray: [Any]?) {
    self = RealmPredicate(format, argumentArray ?? []) as! Self
  }
}

/// A predicate that was made from a format string.
final class RealmPredicate: NSPredicate {
  let format: String
  let arguments: [Any?]
  let parsed: ParsedPredicate

  init(_ format: String, _ arguments: [Any?]) {
    self.format = format
    self.arguments = arguments
    parsed = checkingPredicate { () throws(InvalidPredicate) in
      try PredicateParser.parse(format, arguments)
    }
    super.init(value: true)
  }

  required init?(coder: NSCoder) {
    nil
  }

  override var predicateFormat: String { format }

  override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool
  {
    throwRealmException(
      "Predicates made from a format string are for realms; they cannot be evaluated on "
        + "other objects.")
  }

  override func copy(with zone: NSZone? = nil) -> Any { self }
}

extension ParsedPredicate {
  /// What an `NSPredicate` stands for.
  init(_ predicate: NSPredicate) throws(InvalidPredicate) {
    if let predicate = predicate as? RealmPredicate {
      self = predicate.parsed
    } else {
      condition = try PredicateNode(predicate)
    }
  }
}

extension PredicateNode {
  /// The condition that an `NSPredicate` stands for.
  ///
  /// - Parameter depth: how many others it is in.
  init(_ predicate: NSPredicate, depth: Int = 0) throws(InvalidPredicate) {
    if depth > Self.depthMax { throw Self.nestedTooDeep }
    switch predicate {
    case let predicate as RealmPredicate:
      guard predicate.parsed.stages.isEmpty else {
        throw InvalidPredicate("SORT, DISTINCT and LIMIT cannot be part of a compound predicate")
      }
      self = predicate.parsed.condition
    case let compound as NSCompoundPredicate:
      try self.init(compound: compound, depth: depth)
    default:
      if predicate.isEqual(NSPredicate(value: true)) {
        self = .constant(true)
      } else if predicate.isEqual(NSPredicate(value: false)) {
        self = .constant(false)
      } else {
        throw InvalidPredicate(
          "Only support compound, comparison, and constant predicates, not blocks")
      }
    }
  }

  private init(compound: NSCompoundPredicate, depth: Int) throws(InvalidPredicate) {
    var children: [PredicateNode] = []
    for child in compound.subpredicates {
      children.append(try PredicateNode(child, depth: depth + 1))
    }
    switch compound.compoundPredicateType {
    case .and: self = children.reduceBinary(empty: true) { .and($0, $1) }
    case .or: self = children.reduceBinary(empty: false) { .or($0, $1) }
    case .not:
      guard children.count == 1 else { throw InvalidPredicate("NOT needs one predicate") }
      self = .not(children[0])
    @unknown default: throw InvalidPredicate("Unknown kind of compound predicate")
    }
  }
}

extension [PredicateNode] {
  fileprivate func reduceBinary(
    empty: Bool, _ combine: (PredicateNode, PredicateNode) -> PredicateNode
  ) -> PredicateNode {
    guard let first else { return .constant(empty) }
    return dropFirst().reduce(first, combine)
  }
}
