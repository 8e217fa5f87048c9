/// The first few rows of a sorted order, without sorting the others.
struct TopRows {
  private let columns: [SortColumn]
  /// A heap with the last of the rows kept so far on top.
  private var heap: [UInt32] = []
  private let limit: Int

  init(_ columns: [SortColumn], limit: Int) {
    self.columns = columns
    self.limit = limit
    heap.reserveCapacity(limit)
  }

  /// The first `limit` of the rows 0 ..< count, in order.
  static func first(_ limit: Int, of count: Int, by columns: [SortColumn]) -> [UInt32] {
    if limit >= count / 8 {
      var sorter = Sorter(columns)
      return Array(sorter.sorted(count: count).prefix(limit))
    }
    var top = TopRows(columns, limit: limit)
    if limit > 0 { top.run(count: count) }
    return top.heap.sorted { top.precedes($0, $1) }
  }

  private mutating func run(count: Int) {
    for row in 0..<UInt32(limit) { push(row) }
    guard let first = columns.first, first.presences.isEmpty, first.form == .bits else {
      for row in UInt32(limit)..<UInt32(count) where precedes(row, heap[0]) { replaceTop(row) }
      return
    }
    // Nearly every row is turned away by one comparison.
    let flip: UInt64 = first.ascending ? 0 : .max
    let bits = first.bits
    var bound = bits[Int(heap[0])] ^ flip
    for row in limit..<count where bits[row] ^ flip <= bound {
      guard precedes(UInt32(row), heap[0]) else { continue }
      replaceTop(UInt32(row))
      bound = bits[Int(heap[0])] ^ flip
    }
  }

  /// Whether row `left` stands before row `right`.
  private func precedes(_ left: UInt32, _ right: UInt32) -> Bool {
    for column in columns {
      let order = column.compare(Int(left), Int(right))
      if order != .equal { return (order == .less) == column.ascending }
    }
    return left < right
  }

  private mutating func push(_ row: UInt32) {
    heap.append(row)
    var child = heap.count - 1
    while child > 0, precedes(heap[(child - 1) / 2], heap[child]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func replaceTop(_ row: UInt32) {
    heap[0] = row
    var parent = 0
    while 2 * parent + 1 < heap.count {
      var child = 2 * parent + 1
      if child + 1 < heap.count, precedes(heap[child], heap[child + 1]) { child += 1 }
      if !precedes(heap[parent], heap[child]) { return }
      heap.swapAt(parent, child)
      parent = child
    }
  }
}
