extension Map: _Persistable, _HasPersistedType, _RealmSchemaDiscoverable {
  /// What a property of this type is stored as.
  public typealias PersistedType = Map<Key, Value>

  public static var _rlmDescription: _PropertyDescription {
    var description = Value._rlmDescription
    description.collection = .map
    return description
  }

  public static var _rlmRequiresCaching: Bool { true }
  public static func _rlmDefaultValue() -> Self { unsafeDowncast(Map(), to: Self.self) }

  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Self {
    unsafeDowncast(Map(accessor: MapAccessor(object._listAccessor(column))), to: Self.self)
  }

  public static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: Map<Key, Value>) {
    let accessor = MapAccessor(object._listAccessor(column))
    if let own = value.accessor, own.isSameMap(as: accessor) { return }
    let entries = Array(zip(value.keys, value.values))
    accessor.values.prepareToWrite()
    accessor.removeAll()
    for (key, value) in entries {
      accessor.set(value._rlmStored(accessor.instance), forKey: key._keyText)
    }
  }

  public static func _rlmTransfer(
    _ value: Map<Key, Value>, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    if mode == .new && value.isEmpty { return }
    let accessor = MapAccessor(object._listAccessor(column))
    let entries = zip(value.keys, value.values).map {
      ($0._keyText, $1._rlmStored(accessor.instance))
    }
    if mode == .overwriteModified {
      let wanted = Set(entries.map(\.0))
      for case .string(let key) in accessor.keys.values() where !wanted.contains(key) {
        accessor.remove(key)
      }
    } else if mode == .overwriteAll {
      accessor.removeAll()
    }
    for (key, value) in entries
    where mode != .overwriteModified || accessor.value(of: key)?.isIdentical(to: value) != true {
      accessor.set(value, forKey: key)
    }
  }

  public static func _rlmPropertyFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    guard let value = unwrapped(value) else { return _rlmDefaultValue() }
    var entries: [Key: Value] = [:]
    if let map = value as? Map<Key, Value> {
      for (key, value) in map.asKeyValueSequence() { entries[key] = value }
    } else if let dictionary = value as? [String: Any] {
      for (key, item) in dictionary {
        guard let element = Value._rlmFromAny(item, realm) else { return nil }
        entries[Key(_keyText: key)] = element
      }
    } else {
      return nil
    }
    return unsafeDowncast(Map(unmanaged: entries), to: Self.self)
  }
}

extension Map: Decodable where Value: Decodable {
  /// Decodes an unmanaged map from a dictionary.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    let entries = try decoder.singleValueContainer().decode([String: Value].self)
    for (key, value) in entries { updateValue(value, forKey: Key(_keyText: key)) }
  }
}

extension Map: Encodable where Value: Encodable {
  /// Encodes the entries as a dictionary.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(
      Dictionary(uniqueKeysWithValues: zip(keys.map(\._keyText), values)))
  }
}
