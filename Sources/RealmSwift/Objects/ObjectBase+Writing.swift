import Foundation
public import ObjectStore
import Storage

// Writing properties of managed objects. The common types go to the store as they are; others as a
// `StoredValue`.

extension ObjectBase {
  /// Checks that the property may be written now.
  public final func _prepareToWrite(_ column: UInt32) -> _RealmInstance {
    let instance = _managingRealm
    _ = instance.requireWriting(
      """
      Attempting to modify object outside of a write transaction - call `write` or `beginWrite` \
      on its Realm first.
      """)
    _ = _position()
    if column == _knownBinding.primaryKeyColumn {
      throwRealmException(MisuseReason.primaryKeyChanged)
    }
    return instance
  }

  /// Writes a property after `_prepareToWrite`.
  public final func _writeStored(_ column: UInt32, _ value: StoredValue) {
    write { (objects, table, key) throws(StorageError) in
      try objects.set(value, ColumnKey(rawValue: column), of: key, in: table)
    }
  }

  /// Writes a property of an object that is being added.
  public final func _transferStored(
    _ column: UInt32, _ value: StoredValue, _ mode: _TransferMode
  ) {
    let binding = _knownBinding
    if column == binding.primaryKeyColumn { return }
    switch mode {
    case .new: if value.isIdentical(to: binding.property(column).defaultValue) { return }
    case .overwriteModified: if _readStored(column).isIdentical(to: value) { return }
    case .overwriteAll: break
    }
    _writeStored(column, value)
  }

  // MARK: Without a `StoredValue`

  /// Calls `body` with the open transaction, and notes that what is read has changed.
  @inline(__always)
  private final func write(
    _ body: (ObjectTransaction, TableKey, ObjectKey) throws(StorageError) -> Void
  ) {
    guard let objects = unsafe _readState.pointee.objects else {
      throwRealmException(MisuseReason.noTransactionToCommit)
    }
    let table = _knownBinding.table
    // The instance keeps the transaction, and the object the instance.
    unsafe objects._withUnsafeGuaranteedRef { objects in
      do throws(StorageError) {
        try body(objects, table, ObjectKey(rawValue: _key))
      } catch {
        _ = _position()  // reports an object that the transaction has deleted
        failed(error)
      }
    }
    _readState.pointee.generation &+= 1
  }

  /// As `_prepareToWrite`, for those who don't need the instance. An object that was seen in this
  /// transaction is not looked for: the write comes past its row anyway.
  @inline(__always)
  private final func prepareToWrite(_ column: UInt32) {
    let readState = _readState
    if readState.pointee.thread == currentThread(), _generation >= readState.pointee.writeStart,
      column != _knownBinding.primaryKeyColumn
    {
      return
    }
    _ = _prepareToWrite(column)
  }

  /// Sets a property whose type goes to the store as it is.
  @_specialize(where Value == Int)
  @_specialize(where Value == Bool)
  @_specialize(where Value == Double)
  @_specialize(where Value == String)
  @_specialize(where Value == Date)
  public final func _set<Value: _ColumnValue>(_ column: UInt32, _ value: Value) {
    prepareToWrite(column)
    put(column, value)
  }

  /// Writes a property of an object that is being added.
  @inline(__always)
  final func _transfer<Value: _ColumnValue>(
    _ column: UInt32, _ value: Value, _ mode: _TransferMode
  ) {
    if column == _knownBinding.primaryKeyColumn { return }
    switch mode {
    case .new: if value._rlmIsDefault { return }
    case .overwriteModified: if value._rlmIsPresent(self, column) { return }
    case .overwriteAll: break
    }
    put(column, value)
  }

  @inline(__always)
  private final func put<Value: _ColumnValue>(_ column: UInt32, _ value: Value) {
    write { (objects, table, key) throws(StorageError) in
      try value._rlmWrite(objects, ColumnKey(rawValue: column), of: key, in: table)
    }
  }
}
