/// The object or collection that a property holds a reference to.
func heldReference(_ value: Any) -> AnyObject? {
  guard let value = unwrapped(value) else { return nil }
  if let any = value as? AnyRealmValue { return any.reference }
  return value as? ObjectBase ?? value as? RLMSwiftCollectionBase
}

extension AnyRealmValue {
  /// The object or collection that it is; nil for a value.
  var reference: AnyObject? {
    switch self {
    case .object(let object): object
    case .list(let list): list
    case .dictionary(let map): map
    default: nil
    }
  }
}

/// The objects and collections among values of any kind; none among others.
func nestedReferences<Element>(_ elements: [Element]) -> [AnyObject] {
  (elements as? [AnyRealmValue])?.compactMap(\.reference) ?? []
}
