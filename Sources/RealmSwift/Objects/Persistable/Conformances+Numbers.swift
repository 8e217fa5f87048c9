public import ObjectStore
public import Storage

// Whole numbers, booleans and floating-point numbers: the types with a path of their own for
// reading, which the optimiser can see through.

/// A whole number kept as 64 bits.
public protocol _PersistableInteger: FixedWidthInteger, _ColumnValue,
  _RealmCollectionValueInsideOptional
where PersistedType == Self {}

extension _PersistableInteger {
  public static var _rlmDescription: _PropertyDescription { .init(.int) }
  public static func _rlmDefaultValue() -> Self { 0 }

  @inlinable
  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Self {
    Self(truncatingIfNeeded: object._readInt(column))
  }

  @inlinable
  public static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> Self? {
    guard let value = object._readOptionalInt(column) else { return nil }
    return Self(truncatingIfNeeded: value)
  }

  public var _rlmIsDefault: Bool { self == 0 }

  public func _rlmIsPresent(_ object: ObjectBase, _ column: UInt32) -> Bool {
    object._readInt(column) == Int64(self)
  }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try objects.setInt(Int64(self), column, of: key, in: table)
  }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { .int(Int64(self)) }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Self {
    guard case .int(let value) = stored else { return 0 }
    return Self(truncatingIfNeeded: value)
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? { integer(value) }
}

extension Int: _PersistableInteger {
  /// What a property of this type is stored as.
  public typealias PersistedType = Int
}

extension Int8: _PersistableInteger {
  /// What a property of this type is stored as.
  public typealias PersistedType = Int8
}

extension Int16: _PersistableInteger {
  /// What a property of this type is stored as.
  public typealias PersistedType = Int16
}

extension Int32: _PersistableInteger {
  /// What a property of this type is stored as.
  public typealias PersistedType = Int32
}

extension Int64: _PersistableInteger {
  /// What a property of this type is stored as.
  public typealias PersistedType = Int64
}

extension Bool: _ColumnValue, _RealmCollectionValueInsideOptional {
  /// Stored as it is.
  public typealias PersistedType = Bool
  public static var _rlmDescription: _PropertyDescription { .init(.bool) }
  public static func _rlmDefaultValue() -> Bool { false }

  @inlinable
  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Bool {
    object._readInt(column) != 0
  }

  @inlinable
  public static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> Bool? {
    guard let value = object._readOptionalInt(column) else { return nil }
    return value != 0
  }

  public var _rlmIsDefault: Bool { !self }

  public func _rlmIsPresent(_ object: ObjectBase, _ column: UInt32) -> Bool {
    (object._readInt(column) != 0) == self
  }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try objects.setBool(self, column, of: key, in: table)
  }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { .bool(self) }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Bool {
    stored == .bool(true)
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Bool? {
    if let value = exactly(Bool.self, value) { return value }
    if let value = unwrapped(value) as? Bool { return value }
    guard let number = integer(value, as: Int.self), number == 0 || number == 1 else { return nil }
    return number == 1
  }
}

extension Double: _ColumnValue, _RealmCollectionValueInsideOptional {
  /// Stored as it is.
  public typealias PersistedType = Double
  public static var _rlmDescription: _PropertyDescription { .init(.double) }
  public static func _rlmDefaultValue() -> Double { 0 }

  @inlinable
  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Double {
    object._readDouble(column)
  }

  @inlinable
  public static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> Double? {
    object._readOptionalDouble(column)
  }

  /// Negative zero is not what a new row has.
  public var _rlmIsDefault: Bool { bitPattern == 0 }

  public func _rlmIsPresent(_ object: ObjectBase, _ column: UInt32) -> Bool {
    object._readDouble(column).bitPattern == bitPattern
  }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try objects.setDouble(self, column, of: key, in: table)
  }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { .double(self) }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Double {
    guard case .double(let value) = stored else { return 0 }
    return value
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Double? {
    floatingPoint(value)
  }
}

extension Float: _ColumnValue, _RealmCollectionValueInsideOptional {
  /// Stored as it is.
  public typealias PersistedType = Float
  public static var _rlmDescription: _PropertyDescription { .init(.float) }
  public static func _rlmDefaultValue() -> Float { 0 }

  /// Negative zero is not what a new row has.
  public var _rlmIsDefault: Bool { bitPattern == 0 }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try objects.setFloat(self, column, of: key, in: table)
  }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { .float(self) }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Float {
    guard case .float(let value) = stored else { return 0 }
    return value
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Float? {
    floatingPoint(value)
  }
}
