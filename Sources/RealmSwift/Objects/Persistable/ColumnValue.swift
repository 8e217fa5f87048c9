public import ObjectStore
public import Storage

/// A type whose values go to their column as they are, without a `StoredValue` in between.
public protocol _ColumnValue: _Persistable {
  /// Whether the value is what a new row has.
  var _rlmIsDefault: Bool { get }
  /// Whether the managed property has this value already, with the same bytes.
  func _rlmIsPresent(_ object: ObjectBase, _ column: UInt32) -> Bool
  /// Writes the value into a column of an object.
  func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError)
}

extension _ColumnValue {
  @inlinable
  public static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: Self) {
    object._set(column, value)
  }

  public static func _rlmTransfer(
    _ value: Self, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    object._transfer(column, value, mode)
  }
}

extension _ColumnValue where Self: _StoredConvertible {
  public func _rlmIsPresent(_ object: ObjectBase, _ column: UInt32) -> Bool {
    object._readStored(column).isIdentical(to: _rlmStored(object._managingRealm))
  }
}

extension _ColumnValue where Self: _PersistableInsideOptional {
  public static func _rlmSetOptional(_ object: ObjectBase, _ column: UInt32, _ value: Self?) {
    object._set(column, value)
  }

  public static func _rlmTransferOptional(
    _ value: Self?, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    object._transfer(column, value, mode)
  }
}

extension Optional: _ColumnValue where Wrapped: _ColumnValue & _PersistableInsideOptional {
  public var _rlmIsDefault: Bool { self == nil }

  public func _rlmWrite(
    _ objects: ObjectTransaction, _ column: ColumnKey, of key: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    switch self {
    case .some(let value): try value._rlmWrite(objects, column, of: key, in: table)
    case .none: try objects.setNull(column, of: key, in: table)
    }
  }
}
