import ObjectStore

/// Compares lists and dictionaries with what they hold, however deep that is, and ends where they
/// hold themselves.
struct NestedComparison {
  /// Two unmanaged collections that are equal if all that is still to be compared is.
  private struct Pair: Hashable {
    let left: ObjectIdentifier
    let right: ObjectIdentifier
  }

  /// Whether managed collections are equal to others that hold the same, rather than to themselves
  /// alone, and objects if they are the same one.
  private let comparesContent: Bool
  private var pending: [(left: AnyRealmValue, right: AnyRealmValue)] = []
  private var met: Set<Pair> = []

  private init(comparesContent: Bool) { self.comparesContent = comparesContent }

  /// Whether two unmanaged lists hold the same.
  static func areSame<Element>(_ left: List<Element>, _ right: List<Element>) -> Bool {
    guard let list = left as? List<AnyRealmValue>, let other = right as? List<AnyRealmValue> else {
      return left.unmanaged.holdsSame(as: right.unmanaged)
    }
    return run((.list(list), .list(other)), comparesContent: false)
  }

  /// Whether two unmanaged maps hold the same.
  static func areSame<Key, Value>(_ left: Map<Key, Value>, _ right: Map<Key, Value>) -> Bool {
    if let map = left as? Map<String, AnyRealmValue>,
      let other = right as? Map<String, AnyRealmValue>
    {
      return run((.dictionary(map), .dictionary(other)), comparesContent: false)
    }
    let (own, theirs) = (left.unmanaged.pairs, right.unmanaged.pairs)
    return own.count == theirs.count
      && zip(own, theirs).allSatisfy {
        $0.key._keyText.isSame(as: $1.key._keyText) && $0.value.isSame(as: $1.value)
      }
  }

  /// Whether both are the same value, or collections of such, in a realm or not.
  static func haveSameContent(_ left: AnyRealmValue, _ right: AnyRealmValue) -> Bool {
    run((left, right), comparesContent: true)
  }

  private static func run(
    _ first: (left: AnyRealmValue, right: AnyRealmValue), comparesContent: Bool
  ) -> Bool {
    var comparison = NestedComparison(comparesContent: comparesContent)
    comparison.pending.append(first)
    while let (left, right) = comparison.pending.popLast() {
      if !comparison.mayBeSame(left, right) { return false }
    }
    return true
  }

  /// Compares two values; what collections hold has its turn later.
  private mutating func mayBeSame(_ left: AnyRealmValue, _ right: AnyRealmValue) -> Bool {
    switch (left, right) {
    case (.list(let left), .list(let right)):
      if let known = alreadyKnown(left, right) { return known }
      guard left.count == right.count else { return false }
      for pair in zip(left, right) { pending.append(pair) }
      return true
    case (.dictionary(let left), .dictionary(let right)):
      if let known = alreadyKnown(left, right) { return known }
      guard left.keys.holdsSame(as: right.keys) else { return false }
      for pair in zip(left.values, right.values) { pending.append(pair) }
      return true
    case (.object(let left), .object(let right)):
      return comparesContent ? left.isSameObject(as: right) : left == right
    default: break
    }
    guard let left = left._rlmComparable, let right = right._rlmComparable else { return false }
    return comparesContent ? left.isIdentical(to: right) : left == right
  }

  /// Whether two collections are equal, as far as that is known without looking at what they hold.
  private mutating func alreadyKnown(
    _ left: RLMSwiftCollectionBase, _ right: RLMSwiftCollectionBase
  ) -> Bool? {
    if left === right { return true }
    if left.accessor == nil, right.accessor == nil {
      let pair = Pair(left: ObjectIdentifier(left), right: ObjectIdentifier(right))
      return met.insert(pair).inserted ? nil : true
    }
    return comparesContent ? nil : left.isEqual(right)
  }
}
