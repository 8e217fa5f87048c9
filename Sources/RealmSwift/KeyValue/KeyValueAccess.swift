// Reading and writing by name, with the methods that key-value coding has on Apple's systems.

extension ObjectBase {
  /// The value of the property with that name, nil for none.
  public func value(forKey key: String) -> Any? { _value(ofProperty: key) }

  /// What a dotted path leads to: through links to a property, or to what a collection operator
  /// makes of a collection (`dogs.@count`, `dogs.@avg.age`, `dogs.name`).
  public func value(forKeyPath keyPath: String) -> Any? { KeyValuePath(keyPath).value(from: self) }

  /// Sets the property with that name, converting what can be; within a write transaction if the
  /// object is managed.
  public func setValue(_ value: Any?, forKey key: String) { _setValue(value, ofProperty: key) }

  /// Sets the property that a dotted path through links leads to. Does nothing if a link is nil.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    guard let (object, key) = KeyValuePath(keyPath).owner(from: self) else { return }
    object._setValue(value, ofProperty: key)
  }
}

extension RealmCollection {
  /// The value of each element's property, or what a collection operator makes of all (`@count`).
  /// Nil values are `NSNull` in an array.
  public func value(forKey key: String) -> Any? { value(forKeyPath: key) }

  /// What a dotted path leads to from each element, or what a collection operator makes of all
  /// (`@max.age`, `@unionOfObjects.owner.name`).
  public func value(forKeyPath keyPath: String) -> Any? {
    KeyValuePath(keyPath).value(from: self)
  }

  /// Sets the property of each element. Within a write transaction only.
  public func setValue(_ value: Any?, forKey key: String) {
    for element in Array(self) {
      guard let object = element as? ObjectBase else {
        throwRealmException("Cannot set '\(key)': the elements are no objects.")
      }
      object._setValue(value, ofProperty: key)
    }
  }
}

extension List {
  /// The value of each element's property.
  public func value(forKey key: String) -> [Any] { value(forKeyPath: key) }

  /// What a dotted path leads to from each element.
  public func value(forKeyPath keyPath: String) -> [Any] {
    switch KeyValuePath(keyPath).value(from: self) {
    case let values as [Any]: values
    case let value?: [value]
    case nil: []
    }
  }
}

extension Map {
  /// The value of the key, nil if there is none; or what a collection operator makes of the values
  /// (`@count`).
  public func value(forKey key: String) -> Any? {
    key.hasPrefix("@") ? value(forKeyPath: key) : value(ofKey: key)
  }

  /// What a dotted path leads to, from a key on or by way of a collection operator (`@max.age`).
  public func value(forKeyPath keyPath: String) -> Any? {
    KeyValuePath(keyPath).value(from: self)
  }

  /// Gives the key a value, converting what can be; nil takes the key out. Within a write
  /// transaction if the map is managed.
  public func setValue(_ value: Any?, forKey key: String) {
    guard let value else { return removeObject(for: Key(_keyText: key)) }
    guard let converted = Value._rlmFromAny(value, realm?.instance) else {
      throwRealmException(
        "Invalid value '\(value)' for key '\(key)' of a map of type '\(elementText(Value.self))'")
    }
    updateValue(converted, forKey: Key(_keyText: key))
  }
}

/// A map without its types.
protocol KeyValueMap {
  func value(ofKey key: String) -> Any?
  /// Those that are not nil.
  var presentValues: [Any] { get }
}

extension Map: KeyValueMap {
  func value(ofKey key: String) -> Any? { self[Key(_keyText: key)].flatMap(unwrappedOnce) }
  var presentValues: [Any] { values.compactMap(unwrappedOnce) }
}
