import Storage

/// The matches of a query, with all that its stages look at, until they are put in order.
struct StagedRows {
  private enum Step {
    case sort([SortColumn])
    case distinct([SortColumn])
    case limit(Int)
  }

  private var steps: [Step]
  private var keys = ContiguousArray<ObjectKey>()

  /// - Parameter capacity: how many rows there will be at least.
  init(_ stages: ArraySlice<CompiledStage>, capacity: Int) {
    keys.reserveCapacity(capacity)
    steps = stages.map { stage in
      switch stage {
      case .sort(let keys):
        .sort(keys.map { SortColumn($0.path, ascending: $0.ascending, capacity: capacity) })
      case .distinct(let paths):
        .distinct(paths.map { SortColumn($0, ascending: true, capacity: capacity) })
      case .limit(let count): .limit(count)
      }
    }
  }

  mutating func gather(_ rows: ClusterRows, _ selection: Selection) throws(StorageError) {
    rows.cluster.append(selection, to: &keys)
    for index in steps.indices {
      switch steps[index] {
      case .sort(var columns):
        steps[index] = .limit(0)  // so that the columns are changed in place
        for column in columns.indices { try columns[column].gather(rows, selection) }
        steps[index] = .sort(columns)
      case .distinct(var columns):
        steps[index] = .limit(0)
        for column in columns.indices { try columns[column].gather(rows, selection) }
        steps[index] = .distinct(columns)
      case .limit: break
      }
    }
  }

  /// What is left, in order.
  func keys(limit: Int?) -> ContiguousArray<ObjectKey> {
    /// Nil as long as it is all rows, as they came.
    var order: [UInt32]?
    var all: [UInt32] { Array(0..<UInt32(keys.count)) }
    for step in steps {
      switch step {
      case .sort(let columns): order = order.map { sorted($0, columns) } ?? sorted(columns)
      case .distinct(let columns):
        let isFirst = Distinction.firstOfEach(order ?? all, rows: keys.count, columns)
        order = (order ?? all).filter { isFirst[Int($0)] }
      case .limit(let count):
        if (order?.count ?? keys.count) > count { order = Array((order ?? all).prefix(count)) }
      }
    }
    let left = order.map { $0.prefix(limit ?? .max) } ?? all.prefix(limit ?? .max)
    var found = ContiguousArray<ObjectKey>()
    found.reserveCapacity(left.count)
    for row in left { found.append(keys[Int(row)]) }
    return found
  }

  private func sorted(_ columns: [SortColumn]) -> [UInt32] {
    var sorter = Sorter(columns)
    return sorter.sorted(count: keys.count)
  }

  /// Only these rows, of which equal ones keep their order.
  private func sorted(_ order: [UInt32], _ columns: [SortColumn]) -> [UInt32] {
    var columns = columns
    for index in columns.indices { columns[index].keep(order) }
    var sorter = Sorter(columns)
    return sorter.sorted(count: order.count).map { order[Int($0)] }
  }
}

/// Finds the first row of each combination of values.
enum Distinction {
  /// - Parameters:
  ///   - order: rows in the order in which they are looked at.
  ///   - count: how many rows there are, in `order` or not.
  /// - Returns: for each row whether it is the first of its combination. Never so is one with a
  ///   value behind a link to nothing.
  static func firstOfEach(_ order: [UInt32], rows count: Int, _ columns: [SortColumn]) -> [Bool] {
    var isFirst = [Bool](repeating: false, count: count)
    let reachable = order.filter { row in
      columns.allSatisfy { $0.presence(Int(row)) != .unreachable }
    }
    var columns = columns
    for index in columns.indices { columns[index].keep(reachable) }
    // Sorted by the values, equal rows stand together, in the order in which they are looked at.
    var sorter = Sorter(columns)
    var last: UInt32?
    for place in sorter.sorted(count: reachable.count) {
      let isSame = last.map { areEqual($0, place, columns) } ?? false
      if !isSame { isFirst[Int(reachable[Int(place)])] = true }
      last = place
    }
    return isFirst
  }

  private static func areEqual(_ left: UInt32, _ right: UInt32, _ columns: [SortColumn]) -> Bool {
    columns.allSatisfy { $0.compare(Int(left), Int(right)) == .equal }
  }
}
