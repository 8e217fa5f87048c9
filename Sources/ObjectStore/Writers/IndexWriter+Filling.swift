import Storage

// Objects that get their values as soon as they are made. They are put into indexes with those;
// else they would be put in with the defaults first, and be taken out again.
//
// Until then such an object is in no index but the primary key's. A table has one of them at most,
// and all that takes objects out of indexes, makes another one (`insertUnfilled`) or commits
// (`ObjectTransaction.finishFilling`) ends that first. So does a query: code of the
// program's own may run between the values of an object that is being added.
extension IndexWriter {
  /// Puts a new object, all of whose properties have their defaults, into the indexes but that of
  /// `column`; or leaves it out of them for now, if it is to be filled.
  func insertDefaults(
    _ state: State, _ key: Int64, except column: ColumnKey?, isFilled: Bool
  ) throws(StorageError) {
    let columns = state.pointee.columns
    state.pointee.unfilledKey = key
    for slot in 0..<columns.count where columns[slot].indexSlot != 0 && slot != column?.slot {
      if columns[slot].isFullText { continue }  // there are no words yet
      if isFilled, slot < UInt64.bitWidth {
        state.pointee.unfilledColumns |= 1 << UInt64(slot)
      } else {
        try insertDefault(state, columns[slot], key)
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
  func insertUnfilled(_ state: State) throws(StorageError) {
    if state.pointee.unfilledColumns != 0 { try insertLeftOut(state) }
  }

  @inline(never)
  private func insertLeftOut(_ state: State) throws(StorageError) {
    let columns = state.pointee.columns
    while state.pointee.unfilledColumns != 0 {
      let slot = state.pointee.unfilledColumns.trailingZeroBitCount
      try insertDefault(state, columns[slot], state.pointee.unfilledKey)
      state.pointee.unfilledColumns &= state.pointee.unfilledColumns - 1
    }
  }

  private func insertDefault(
    _ state: State, _ spec: ColumnSpec, _ key: Int64
  ) throws(StorageError) {
    let value = spec.isOptional ? nil : IndexValue.of(VectorValue.zero(spec.kind), in: spec.kind)
    try insert(state, spec, value, ObjectKey(rawValue: key))
  }
}
