import ObjectStore

// Custom types that are kept as an embedded object: each property and each element has its own,
// which is made when a value is set.

extension _CustomPersistable {
  public static func _rlmFromObject(_ object: ObjectBase) -> Self {
    _rlmFromPersisted(PersistedType._rlmFromObject(object))
  }

  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Self {
    guard PersistedType._rlmIsObject else {
      return _rlmFromStored(object._readStored(column), object._managingRealm)
    }
    let persisted = PersistedType._rlmGetOptional(object, column)
    return persisted.map(_rlmFromPersisted) ?? _rlmDefaultValue()
  }

  public static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: Self) {
    _rlmSetOptional(object, column, value)
  }

  public static func _rlmTransfer(
    _ value: Self, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    _rlmTransferOptional(value, object, column, mode)
  }

  public static func _rlmSetOptional(_ object: ObjectBase, _ column: UInt32, _ value: Self?) {
    if PersistedType._rlmIsObject {
      return PersistedType._rlmSetOptional(object, column, value?.persistableValue)
    }
    let realm = object._prepareToWrite(column)
    object._writeStored(column, value?._rlmStored(realm) ?? .null)
  }

  public static func _rlmTransferOptional(
    _ value: Self?, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    if PersistedType._rlmIsObject {
      return PersistedType._rlmTransferOptional(value?.persistableValue, object, column, mode)
    }
    let stored = value?._rlmStored(object._managingRealm) ?? .null
    object._transferStored(column, stored, mode)
  }
}

/// The value, or what the store keeps for one of a custom type.
func persisted(_ value: Any) -> Any {
  (value as? any _CustomPersistable)?.persistableValue ?? value
}

extension ObjectBase {
  /// Whether the properties of both, which are of one class, have equal values.
  final func _hasSameValues(as other: ObjectBase) -> Bool {
    guard type(of: self) == type(of: other) else { return false }
    return _info.properties.allSatisfy { property in
      property.description.type == .linkingObjects
        || _hashableValue(of: property) == other._hashableValue(of: property)
    }
  }

  /// Agrees with `_hasSameValues(as:)`.
  final func _hashValues(into hasher: inout Hasher) {
    for property in _info.properties where property.description.collection == .none {
      if property.description.type != .linkingObjects {
        hasher.combine(_hashableValue(of: property))
      }
    }
  }

  private final func _hashableValue(of property: PropertyInfo) -> AnyHashable? {
    unwrapped(_value(of: property)) as? AnyHashable
  }
}
