import CScan
import Storage

/// An aggregate over a column: whole vectors at a time where all of their rows count.
struct ColumnAggregate {
  private let operation: AggregateOperation
  private let column: ColumnInfo
  private var count = 0
  private var integers: Int128 = 0
  private var reals = 0.0
  private var integerExtremes = (low: Int64.max, high: Int64.min)
  private var realExtremes = (low: Double.infinity, high: -Double.infinity)
  /// For kinds without vector arithmetic.
  private var byRow: RowAggregate

  init(_ operation: AggregateOperation, _ column: ColumnInfo) {
    self.operation = operation
    self.column = column
    byRow = RowAggregate(operation, column.kind)
  }

  private var isOrdered: Bool { operation == .minimum || operation == .maximum }

  /// Adds the selected rows of a cluster, of which `vector` may have the first ones only.
  mutating func add(
    _ vector: ColumnVector, _ selection: Selection, _ context: EvaluationContext
  ) throws(StorageError) {
    var rows = selection
    if column.isOptional {
      let present = Selection.first(vector.count)
      rows =
        unsafe rows & (vector.validity.map { unsafe .load($0, count: vector.count) } ?? present)
    }
    switch column.kind {
    case .int: addIntegers(vector, rows)
    case .double, .date: addDoubles(vector, rows)
    case .float: addFloats(vector, rows)
    default:
      var left = selection
      while let row = left.popFirst() { byRow.add(try context.read(vector, row, column)) }
    }
  }

  private mutating func addIntegers(_ vector: ColumnVector, _ selection: Selection) {
    let rows = selection & .first(vector.count)
    addZeros(selection.subtracting(rows).count)
    let found = rows.count
    if found == 0 { return }
    count += found
    if found == vector.count {
      if isOrdered { extremes(vector) } else { integers += sum(vector) }
      return
    }
    var left = rows
    if isOrdered {
      while let row = left.popFirst() { keep(vector.integer(row)) }
    } else if vector.width < 64 {
      var sum: Int64 = 0
      while let row = left.popFirst() { sum &+= vector.integer(row) }
      integers += Int128(sum)
    } else {
      while let row = left.popFirst() { integers += Int128(vector.integer(row)) }
    }
  }

  /// Rows that the vector does not have hold zero.
  private mutating func addZeros(_ rows: Int) {
    if rows == 0 { return }
    count += rows
    keep(Int64(0))
    keep(0.0)
  }

  private mutating func keep(_ value: Int64) {
    integerExtremes = (min(integerExtremes.low, value), max(integerExtremes.high, value))
  }

  private mutating func keep(_ value: Double) {
    if value < realExtremes.low { realExtremes.low = value }
    if value > realExtremes.high { realExtremes.high = value }
  }

  private func sum(_ vector: ColumnVector) -> Int128 {
    switch vector.width {
    case 1:
      let bits = unsafe vector.elements.assumingMemoryBound(to: UInt64.self)
      return unsafe Int128(Selection.load(bits, count: vector.count).count)
    case 8: return unsafe Int128(scan_sum_i8(vector.elements, vector.count))
    case 16: return unsafe Int128(scan_sum_i16(vector.elements, vector.count))
    case 32: return unsafe Int128(scan_sum_i32(vector.elements, vector.count))
    case 64: return (0..<vector.count).reduce(0) { $0 + Int128(vector.integer($1)) }
    default: return 0
    }
  }

  private mutating func extremes(_ vector: ColumnVector) {
    var found: (Int64, Int64) = (0, 0)
    unsafe withUnsafeMutableBytes(of: &found) { bytes in
      let out = unsafe bytes.assumingMemoryBound(to: Int64.self).baseAddress
      switch vector.width {
      case 8: unsafe scan_extremes_i8(vector.elements, vector.count, out)
      case 16: unsafe scan_extremes_i16(vector.elements, vector.count, out)
      case 32: unsafe scan_extremes_i32(vector.elements, vector.count, out)
      case 64: unsafe scan_extremes_i64(vector.elements, vector.count, out)
      default: break
      }
    }
    if vector.width == 1 {
      for row in 0..<vector.count { keep(vector.integer(row)) }
    } else {
      keep(found.0)
      keep(found.1)
    }
  }

  private mutating func addDoubles(_ vector: ColumnVector, _ selection: Selection) {
    let rows = selection & .first(vector.count)
    addZeros(selection.subtracting(rows).count)
    let found = rows.count
    if found == 0 { return }
    if found == vector.count {
      guard isOrdered else {
        let sum = unsafe scan_sum_f64(vector.elements, vector.count)
        if sum.isNaN { return addNumbers(rows) { vector.double($0) } }
        reals += sum
        count += found
        return
      }
      count += found
      var extremes: (Double, Double) = (0, 0)
      unsafe withUnsafeMutableBytes(of: &extremes) {
        unsafe scan_extremes_f64(
          vector.elements, vector.count, $0.assumingMemoryBound(to: Double.self).baseAddress)
      }
      // The other way round where none of them is a number.
      guard extremes.0 <= extremes.1 else { return }
      keep(extremes.0)
      keep(extremes.1)
      return
    }
    addNumbers(rows) { vector.double($0) }
  }

  /// Row by row, without what is no number.
  private mutating func addNumbers(_ rows: Selection, _ value: (Int) -> Double) {
    rows.forEach { row in
      let value = value(row)
      if value.isNaN { return }
      count += 1
      if isOrdered { keep(value) } else { reals += value }
    }
  }

  private mutating func addFloats(_ vector: ColumnVector, _ selection: Selection) {
    let rows = selection & .first(vector.count)
    addZeros(selection.subtracting(rows).count)
    if rows.count == vector.count, vector.count > 0, !isOrdered {
      let sum = unsafe scan_sum_f32(vector.elements, vector.count)
      if !sum.isNaN {
        reals += sum
        count += rows.count
        return
      }
    }
    addNumbers(rows) { Double(vector.float($0)) }
  }

  /// Null without values; a sum is zero then.
  var result: StoredValue {
    switch column.kind {
    case .int, .float, .double, .date: return vectorResult
    default: return byRow.result.stored
    }
  }

  private var vectorResult: StoredValue {
    let isInteger = column.kind == .int
    switch operation {
    case .sum: return isInteger ? .int(Int64(truncatingIfNeeded: integers)) : .double(reals)
    case .average:
      if count == 0 { return .null }
      return .double((isInteger ? Double(integers) : reals) / Double(count))
    case .minimum: return extreme(integerExtremes.low, realExtremes.low)
    case .maximum: return extreme(integerExtremes.high, realExtremes.high)
    }
  }

  private func extreme(_ integer: Int64, _ real: Double) -> StoredValue {
    if count == 0 { return .null }
    if column.kind != .int, realExtremes.low > realExtremes.high { return .null }
    switch column.kind {
    case .int: return .int(integer)
    case .float: return .float(Float(real))
    case .date: return .date(real)
    default: return .double(real)
    }
  }
}
