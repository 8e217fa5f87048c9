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
    requireWritable(column)
    return instance
  }

  private final func requireWritable(_ column: UInt32) {
    _ = _position()
    if column == _binding.unsafelyUnwrapped.primaryKeyColumn {
      throwRealmException(MisuseReason.primaryKeyChanged)
    }
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
    let binding = _binding.unsafelyUnwrapped
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
    guard let objects = _readState.pointee.objects else {
      throwRealmException(MisuseReason.noTransactionToCommit)
    }
    let table = _binding.unsafelyUnwrapped.table
    engine { () throws(StorageError) in
      try body(objects.takeUnretainedValue(), table, ObjectKey(rawValue: _key))
    }
    _readState.pointee.generation &+= 1
  }

  /// As `_prepareToWrite`, for those who don't need the instance.
  @inline(__always)
  private final func prepareToWrite(_ column: UInt32) {
    let readState = _readState
    if readState.pointee.objects != nil, readState.pointee.thread == currentThread() {
      requireWritable(column)
    } else {
      _ = _prepareToWrite(column)
    }
  }

  /// Whether a property of an object that is being added has to be written.
  ///
  /// - Parameters:
  ///   - isDefault: whether the value is what a new row has.
  ///   - isPresent: whether an existing row has the value already.
  @inline(__always)
  private final func needsTransfer(
    _ column: UInt32, _ mode: _TransferMode, isDefault: Bool, isPresent: () -> Bool
  ) -> Bool {
    if column == _binding.unsafelyUnwrapped.primaryKeyColumn { return false }
    switch mode {
    case .new: return !isDefault
    case .overwriteModified: return !isPresent()
    case .overwriteAll: return true
    }
  }

  public final func _setInt(_ column: UInt32, _ value: Int64) {
    prepareToWrite(column)
    writeInt(column, value)
  }

  public final func _transferInt(_ column: UInt32, _ value: Int64, _ mode: _TransferMode) {
    if needsTransfer(column, mode, isDefault: value == 0, isPresent: { _readInt(column) == value })
    {
      writeInt(column, value)
    }
  }

  private final func writeInt(_ column: UInt32, _ value: Int64) {
    write { (objects, table, key) throws(StorageError) in
      try objects.setInt(value, ColumnKey(rawValue: column), of: key, in: table)
    }
  }

  public final func _setBool(_ column: UInt32, _ value: Bool) {
    prepareToWrite(column)
    writeBool(column, value)
  }

  public final func _transferBool(_ column: UInt32, _ value: Bool, _ mode: _TransferMode) {
    if needsTransfer(
      column, mode, isDefault: !value, isPresent: { (_readInt(column) != 0) == value })
    {
      writeBool(column, value)
    }
  }

  private final func writeBool(_ column: UInt32, _ value: Bool) {
    write { (objects, table, key) throws(StorageError) in
      try objects.setBool(value, ColumnKey(rawValue: column), of: key, in: table)
    }
  }

  /// Doubles, and dates as seconds since the reference date.
  public final func _setDouble(_ column: UInt32, _ value: Double) {
    prepareToWrite(column)
    writeDouble(column, value)
  }

  public final func _transferDouble(_ column: UInt32, _ value: Double, _ mode: _TransferMode) {
    // Negative zero is not what a new row has.
    if needsTransfer(
      column, mode, isDefault: value.bitPattern == 0,
      isPresent: { _readDouble(column).bitPattern == value.bitPattern })
    {
      writeDouble(column, value)
    }
  }

  private final func writeDouble(_ column: UInt32, _ value: Double) {
    write { (objects, table, key) throws(StorageError) in
      try objects.setDouble(value, ColumnKey(rawValue: column), of: key, in: table)
    }
  }

  public final func _setString(_ column: UInt32, _ value: String) {
    prepareToWrite(column)
    writeString(column, value)
  }

  public final func _transferString(_ column: UInt32, _ value: String, _ mode: _TransferMode) {
    if needsTransfer(
      column, mode, isDefault: value.isEmpty,
      isPresent: {
        _readString(column)?.utf8.elementsEqual(value.utf8) ?? false
      })
    {
      writeString(column, value)
    }
  }

  private final func writeString(_ column: UInt32, _ value: String) {
    write { (objects, table, key) throws(StorageError) in
      try objects.setString(value, ColumnKey(rawValue: column), of: key, in: table)
    }
  }
}
