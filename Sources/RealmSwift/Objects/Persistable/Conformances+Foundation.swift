public import Foundation
public import ObjectStore
public import Storage

// Strings, bytes, dates and identifiers.

extension String: _ColumnValue, _RealmCollectionValueInsideOptional {
  /// Stored as it is.
  public typealias PersistedType = String
  public static var _rlmDescription: _PropertyDescription { .init(.string) }
  public static func _rlmDefaultValue() -> String { "" }

  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> String {
    object._readString(column) ?? ""
  }

  public static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> String? {
    object._readString(column)
  }

  public var _rlmIsDefault: Bool { isEmpty }

  public func _rlmIsPresent(_ object: ObjectBase, _ column: UInt32) -> Bool {
    object._readString(column)?.utf8.elementsEqual(utf8) ?? false
  }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try objects.setString(self, column, of: key, in: table)
  }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { .string(self) }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> String {
    guard case .string(let value) = stored else { return "" }
    return value
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> String? {
    if let value = exactly(String.self, value) { return value }
    return switch unwrapped(value) {
    case let value as String: value
    case let value as Substring: String(value)
    case let value as NSString: String(describing: value)
    default: nil
    }
  }
}

extension Data: _ColumnValue, _RealmCollectionValueInsideOptional {
  /// Stored as it is.
  public typealias PersistedType = Data
  public static var _rlmDescription: _PropertyDescription { .init(.data) }
  public static func _rlmDefaultValue() -> Data { Data() }
  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { .data([UInt8](self)) }

  public var _rlmIsDefault: Bool { isEmpty }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let result = unsafe withUnsafeBytes { bytes -> StorageError? in
      do throws(StorageError) {
        try unsafe objects.setBytes(bytes, column, of: key, in: table)
        return nil
      } catch { return error }
    }
    if let result { throw result }
  }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Data {
    guard case .data(let bytes) = stored else { return Data() }
    return Data(bytes)
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Data? {
    switch unwrapped(value) {
    case let value as Data: value
    case let value as [UInt8]: Data(value)
    default: nil
    }
  }
}

extension Date: _ColumnValue, _RealmCollectionValueInsideOptional {
  /// Stored as it is.
  public typealias PersistedType = Date
  public static var _rlmDescription: _PropertyDescription { .init(.date) }
  /// Now, as `Date()` is. In objects that are older than the property it is the
  /// beginning of 1970.
  public static func _rlmDefaultValue() -> Date { Date() }

  @inlinable
  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Date {
    Date(timeIntervalSinceReferenceDate: object._readDouble(column))
  }

  @inlinable
  public static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> Date? {
    object._readOptionalDouble(column).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// Negative zero is not what a new row has.
  public var _rlmIsDefault: Bool { timeIntervalSinceReferenceDate.bitPattern == 0 }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try objects.setDouble(timeIntervalSinceReferenceDate, column, of: key, in: table)
  }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue {
    .date(timeIntervalSinceReferenceDate)
  }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Date {
    guard case .date(let seconds) = stored else { return Date(timeIntervalSince1970: 0) }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Date? {
    exactly(Date.self, value) ?? unwrapped(value) as? Date
  }
}

extension UUID: _ColumnValue, _RealmCollectionValueInsideOptional {
  /// Stored as it is.
  public typealias PersistedType = UUID
  public static var _rlmDescription: _PropertyDescription { .init(.UUID) }
  public static func _rlmDefaultValue() -> UUID { UUID() }
  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { .uuid(storedBytes) }

  public var _rlmIsDefault: Bool { storedBytes == UUIDBytes(head: 0, tail: 0) }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try objects.setUUID(storedBytes, column, of: key, in: table)
  }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> UUID {
    guard case .uuid(let bytes) = stored else { return UUID(bytes: UUIDBytes(head: 0, tail: 0)) }
    return UUID(bytes: bytes)
  }

  init(bytes: UUIDBytes) {
    self = unsafe withUnsafeBytes(of: bytes) {
      unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }

  var storedBytes: UUIDBytes {
    unsafe withUnsafeBytes(of: uuid) { bytes in
      unsafe UUIDBytes(
        head: bytes.loadUnaligned(as: UInt64.self),
        tail: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> UUID? {
    if let value = exactly(UUID.self, value) { return value }
    return switch unwrapped(value) {
    case let value as UUID: value
    case let value as String: UUID(uuidString: value)
    default: nil
    }
  }
}
