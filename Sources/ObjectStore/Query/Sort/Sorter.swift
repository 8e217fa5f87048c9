import Storage

/// Sorts rows by columns that have been gathered, most significant first.
///
/// Rows are sorted by the first column's bits; stretches that agree are sorted by what tells them
/// apart next: the next 8 bytes of a string, then the next column.
struct Sorter {
  private let columns: [SortColumn]
  private var radix = RadixSort()
  /// Strings that agree in so many bytes are compared whole: the recursion stays shallow.
  private static let commonBytesMax = 128

  init(_ columns: [SortColumn]) { self.columns = columns }

  /// The rows 0 ..< count in order; rows that are equal in all columns keep theirs.
  mutating func sorted(count: Int) -> [UInt32] {
    var entries = (0..<UInt32(count)).map { SortEntry(bits: 0, row: $0) }
    unsafe entries.withUnsafeMutableBufferPointer { unsafe sort($0, column: 0) }
    return entries.map(\.row)
  }

  private mutating func sort(_ entries: UnsafeMutableBufferPointer<SortEntry>, column index: Int) {
    guard index < columns.count, entries.count > 1 else { return }
    let column = columns[index]
    if column.presences.isEmpty { return unsafe sortValues(entries, column: index) }
    for place in entries.indices {
      let rank = unsafe UInt64(column.presences[Int(entries[place].row)].rawValue)
      unsafe entries[place].bits = column.ascending ? rank : 2 - rank
    }
    unsafe radix.sort(entries)
    // Values are in the middle either way, between null and what is not there.
    let start = unsafe entries.firstIndex { $0.bits >= 1 } ?? entries.count
    let end = unsafe entries[start...].firstIndex { $0.bits == 2 } ?? entries.count
    unsafe sort(UnsafeMutableBufferPointer(rebasing: entries[..<start]), column: index + 1)
    unsafe sortValues(UnsafeMutableBufferPointer(rebasing: entries[start..<end]), column: index)
    unsafe sort(UnsafeMutableBufferPointer(rebasing: entries[end...]), column: index + 1)
  }

  /// Sorts entries none of which is null in that column.
  private mutating func sortValues(
    _ entries: UnsafeMutableBufferPointer<SortEntry>, column index: Int
  ) {
    let column = columns[index]
    switch column.form {
    case .bits:
      let bits = column.bits
      let flip: UInt64 = column.ascending ? 0 : .max
      for place in entries.indices {
        unsafe entries[place].bits = bits[Int(entries[place].row)] ^ flip
      }
      unsafe radix.sort(entries)
      unsafe eachRun(entries) { sorter, run in unsafe sorter.sort(run, column: index + 1) }
    case .bytes:
      unsafe sortBytes(entries, column.bytes, column: index, from: 0)
    case .values:
      let values = column.values
      unsafe sortByComparing(entries, column: index) {
        SortOrder.compare(values[Int($0)], values[Int($1)])
      }
    }
  }

  private mutating func sortBytes(
    _ entries: UnsafeMutableBufferPointer<SortEntry>, _ bytes: [UnsafeRawBufferPointer],
    column index: Int, from offset: Int
  ) {
    if offset >= Self.commonBytesMax {
      return unsafe sortByComparing(entries, column: index) {
        unsafe ByteOrder.compare(bytes[Int($0)], bytes[Int($1)])
      }
    }
    let flip: UInt64 = columns[index].ascending ? 0 : .max
    for place in entries.indices {
      let row = unsafe Int(entries[place].row)
      unsafe entries[place].bits = SortBits.of(bytes[row], from: offset) ^ flip
    }
    unsafe radix.sort(entries)
    unsafe eachRun(entries) { sorter, run in
      // Equal in these 8 bytes: those that end within them are shorter and come first.
      var isUniform = true
      let firstLength = unsafe min(bytes[Int(run[0].row)].count - offset, 9)
      for place in run.indices {
        // The rows are all over the table: what is looked at soon is fetched meanwhile.
        let ahead = place + 16
        if ahead < run.count {
          unsafe bytes.withUnsafeBufferPointer {
            unsafe Prefetch.ask($0.baseAddress.map { unsafe $0 + Int(run[ahead].row) }, bytes: 16)
          }
        }
        let string = unsafe bytes[Int(run[place].row)]
        let length = min(string.count - offset, 9)
        if length == 9 {
          unsafe Prefetch.ask(string.baseAddress.map { unsafe $0 + offset }, bytes: 16)
        }
        isUniform = isUniform && length == firstLength
        unsafe run[place].bits = UInt64(max(length, 0)) ^ flip
      }
      if !isUniform { unsafe sorter.radix.sort(run) }
      unsafe sorter.eachRun(run) { sorter, same in
        if unsafe same[0].bits ^ flip == 9 {
          unsafe sorter.sortBytes(same, bytes, column: index, from: offset + 8)
        } else {
          unsafe sorter.sort(same, column: index + 1)
        }
      }
    }
  }

  private mutating func sortByComparing(
    _ entries: UnsafeMutableBufferPointer<SortEntry>, column index: Int,
    _ compare: (UInt32, UInt32) -> Ordering
  ) {
    var entries = unsafe entries
    let ascending = columns[index].ascending
    // The position makes the order total, so that any sort is stable.
    for place in entries.indices { unsafe entries[place].bits = UInt64(place) }
    unsafe entries.sort { left, right in
      switch compare(left.row, right.row) {
      case .less: ascending
      case .greater: !ascending
      case .equal, .different: left.bits < right.bits
      }
    }
    var run: UInt64 = 0
    for place in entries.indices {
      if place > 0, unsafe compare(entries[place - 1].row, entries[place].row) != .equal {
        run += 1
      }
      unsafe entries[place].bits = run
    }
    unsafe eachRun(entries) { sorter, run in unsafe sorter.sort(run, column: index + 1) }
  }

  /// Calls `body` with every stretch of at least two entries whose bits are equal.
  private mutating func eachRun(
    _ entries: UnsafeMutableBufferPointer<SortEntry>,
    _ body: (inout Sorter, UnsafeMutableBufferPointer<SortEntry>) -> Void
  ) {
    var start = 0
    while start < entries.count {
      let bits = unsafe entries[start].bits
      var end = start + 1
      while end < entries.count, unsafe entries[end].bits == bits { end += 1 }
      if end - start > 1 {
        unsafe body(&self, UnsafeMutableBufferPointer(rebasing: entries[start..<end]))
      }
      start = end
    }
  }
}
