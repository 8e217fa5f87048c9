public import ObjectStore
public import Storage

// The library's own value types.

extension ObjectId: _ColumnValue, _RealmCollectionValueInsideOptional {
  /// Stored as it is.
  public typealias PersistedType = ObjectId
  public static var _rlmDescription: _PropertyDescription { .init(.objectId) }
  public static func _rlmDefaultValue() -> ObjectId { .generate() }
  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { .objectId(stored) }

  public var _rlmIsDefault: Bool { stored == ObjectIdBytes(head: 0, tail: 0) }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try objects.setObjectId(stored, column, of: key, in: table)
  }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> ObjectId {
    guard case .objectId(let bytes) = stored else { return ObjectId() }
    return ObjectId(bytes)
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> ObjectId? {
    if let value = exactly(ObjectId.self, value) { return value }
    return switch unwrapped(value) {
    case let value as ObjectId: value
    case let value as String: try? ObjectId(string: value)
    default: nil
    }
  }
}

extension Decimal128: _ColumnValue, _RealmCollectionValueInsideOptional {
  /// Stored as it is.
  public typealias PersistedType = Decimal128
  public static var _rlmDescription: _PropertyDescription { .init(.decimal128) }
  public static func _rlmDefaultValue() -> Decimal128 { 0 }
  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { .decimal128(stored) }
  public var _rlmComparable: StoredValue? { .decimal128(stored) }

  public var _rlmIsDefault: Bool { stored == .zero }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try objects.setDecimal(stored, column, of: key, in: table)
  }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Decimal128 {
    guard case .decimal128(let bits) = stored else { return 0 }
    return Decimal128(bits)
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Decimal128? {
    switch unwrapped(value) {
    case let value as Decimal128: value
    case let value as String: Decimal128(value)
    case let value?:
      integer(value, as: Int.self).map { Decimal128(integerLiteral: Int64($0)) }
        ?? floatingPoint(value, as: Double.self).map { Decimal128(value: $0) }
    case nil: nil
    }
  }
}
