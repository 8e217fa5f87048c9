/// The object or collection that a property holds a reference to.
func heldReference(_ value: Any) -> AnyObject? {
  guard let value = unwrapped(value) else { return nil }
  if let any = value as? AnyRealmValue {
    switch any {
    case .object(let object): return object
    case .list(let list): return list
    case .dictionary(let map): return map
    default: return nil
    }
  }
  return value as? ObjectBase ?? value as? RLMSwiftCollectionBase
}
