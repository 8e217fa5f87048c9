import Storage

// Objects that get their values as soon as they are made. They are put into indexes with those;
// else they would be put in with the defaults first, and be taken out again.
//
// Until then such an object is in no index but the primary key's. A table has one of them at most,
// and all that takes objects out of indexes, makes another one or commits ends that first. So does
// a query: code of the program's own may run between the values of an object that is being added.
extension ObjectTransaction {
  /// The object that `createObject` has made last is in its indexes afterwards, by the
  /// values that it has.
  public func finishFilling(_ table: TableKey) throws(StorageError) {
    // A table that is not open has none, and asking is no reason to open it for writing.
    if let state = tables.stateIfOpen(Int(table.rawValue)) { try indexUnfilled(state) }
  }

  /// Puts a new object, all of whose properties have their defaults, into the indexes but that of
  /// `column`; or leaves it out of them for now, if it is to be filled.
  func indexDefaults(
    _ state: State, _ key: Int64, except column: ColumnKey?, isFilled: Bool
  ) throws(StorageError) {
    let columns = state.pointee.columns
    state.pointee.unfilledKey = key
    for slot in 0..<columns.count where columns[slot].indexSlot != 0 && slot != column?.slot {
      if columns[slot].isFullText { continue }  // there are no words yet
      if isFilled, slot < UInt64.bitWidth {
        state.pointee.unfilledColumns |= 1 << UInt64(slot)
      } else {
        try indexDefault(state, columns[slot], key)
      }
    }
  }

  /// Whether the object is not in the column's index yet, of which it is taken that it will be now.
  @inline(__always)
  func takeUnfilled(_ state: State, _ column: ColumnKey, _ object: ObjectKey) -> Bool {
    if state.pointee.unfilledColumns == 0 { return false }
    guard state.pointee.unfilledKey == object.rawValue, column.slot < UInt64.bitWidth
    else { return false }
    let bit: UInt64 = 1 << UInt64(column.slot)
    defer { state.pointee.unfilledColumns &= ~bit }
    return state.pointee.unfilledColumns & bit != 0
  }

  /// Puts the object that was left out into the indexes of those columns that were not set.
  @inline(__always)
  func indexUnfilled(_ state: State) throws(StorageError) {
    if state.pointee.unfilledColumns != 0 { try indexLeftOut(state) }
  }

  @inline(never)
  private func indexLeftOut(_ state: State) throws(StorageError) {
    let columns = state.pointee.columns
    while state.pointee.unfilledColumns != 0 {
      let slot = state.pointee.unfilledColumns.trailingZeroBitCount
      try indexDefault(state, columns[slot], state.pointee.unfilledKey)
      state.pointee.unfilledColumns &= state.pointee.unfilledColumns - 1
    }
  }

  /// The same in all tables, before a query looks into indexes.
  public func finishFilling() throws(StorageError) {
    for index in 0..<tables.count {
      if let state = tables.stateIfOpen(index) { try indexUnfilled(state) }
    }
  }

  private func indexDefault(
    _ state: State, _ spec: ColumnSpec, _ key: Int64
  ) throws(StorageError) {
    let value = spec.isOptional ? nil : indexedValue(VectorValue.zero(spec.kind), spec)
    try insertIntoIndex(state, spec, value, ObjectKey(rawValue: key))
  }
}
