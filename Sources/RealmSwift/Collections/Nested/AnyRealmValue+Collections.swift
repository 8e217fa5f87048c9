import ObjectStore

// Lists and dictionaries as values.
//
// An unmanaged one is live as any unmanaged list is. Once its object is in a realm it is a view of
// what is stored there, which can be changed in place within a write transaction, watched, frozen
// and queried like any list. What is assigned is copied.

extension AnyRealmValue {
  /// A list of the elements.
  public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
    .list(List(unmanaged: array))
  }

  /// A dictionary of the entries.
  public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
    let map = Map<String, AnyRealmValue>()
    map.unmanaged = UnmanagedMap(dictionary)
    return .dictionary(map)
  }

  /// The list; nil if the value is of another type.
  public var listValue: List<AnyRealmValue>? {
    guard case .list(let value) = self else { return nil }
    return value
  }

  /// The dictionary; nil if the value is of another type.
  public var dictionaryValue: Map<String, AnyRealmValue>? {
    guard case .dictionary(let value) = self else { return nil }
    return value
  }

  /// Whether it is a list or a dictionary.
  var isCollection: Bool {
    switch self {
    case .list, .dictionary: true
    default: false
    }
  }

  /// A list or dictionary out of an array or dictionary, nil for anything else and where an element
  /// cannot be a value.
  init?(collection value: Any, depth: Int) {
    NestedCollection.checkDepth(depth)
    if let dictionary = value as? [String: Any] {
      var entries: [String: AnyRealmValue] = [:]
      for (key, item) in dictionary {
        guard let element = AnyRealmValue(content: item, depth: depth + 1) else { return nil }
        entries[key] = element
      }
      self = .fromDictionary(entries)
    } else if let array = value as? [Any] {
      var elements: [AnyRealmValue] = []
      elements.reserveCapacity(array.count)
      for item in array {
        guard let element = AnyRealmValue(content: item, depth: depth + 1) else { return nil }
        elements.append(element)
      }
      self = .fromArray(elements)
    } else {
      return nil
    }
  }

  /// The value with its objects taken over into the realm that it is going to be written to: those
  /// of another realm are copied. Nil if one of them cannot be.
  func taken(into realm: _RealmInstance?, depth: Int = 1) -> AnyRealmValue? {
    switch self {
    case .object(let object):
      return type(of: object)._rlmFromAny(object, realm).map { .object($0) }
    case .list(let list):
      guard realm != nil else { return self }
      // Unmanaged ones may hold themselves.
      NestedCollection.checkDepth(depth)
      var elements: [AnyRealmValue] = []
      for element in list {
        guard let taken = element.taken(into: realm, depth: depth + 1) else { return nil }
        elements.append(taken)
      }
      return .fromArray(elements)
    case .dictionary(let map):
      guard realm != nil else { return self }
      NestedCollection.checkDepth(depth)
      var entries: [String: AnyRealmValue] = [:]
      for (key, element) in map._rlmEntries {
        guard let taken = element.taken(into: realm, depth: depth + 1) else { return nil }
        entries[key] = taken
      }
      return .fromDictionary(entries)
    default: return self
    }
  }
}

extension AnyRealmValue {
  /// Writes lists and dictionaries only if they are not there already.
  public static func _rlmTransfer(
    _ value: AnyRealmValue, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    guard value.isCollection else {
      return object._transferStored(column, value._rlmStored(object._managingRealm), mode)
    }
    if mode == .overwriteModified,
      NestedComparison.haveSameContent(value, _rlmGet(object, column))
    {
      return
    }
    object._writeStored(column, value._rlmStored(object._managingRealm))
  }
}
