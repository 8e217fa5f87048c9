/// An aggregate over values that come one by one. Null, not-a-number and what cannot be added up is
/// passed over.
///
/// Sums of integers wrap at 64 bits, averages do not; sums of floats are doubles. In a column of
/// any kind the extremes are those of all values in the order of a sort, and sums are decimals.
struct RowAggregate {
  let operation: AggregateOperation
  let kind: ValueKind
  private(set) var count = 0
  private var best = RowValue.null
  private var integers: Int128 = 0
  private var reals = 0.0
  private var decimals = DecimalNumber(Int64(0))
  private var isDecimal: Bool

  init(_ operation: AggregateOperation, _ kind: ValueKind) {
    self.operation = operation
    self.kind = kind
    isDecimal = kind == .decimal128 || kind == .any
  }

  mutating func add(_ value: RowValue) {
    switch operation {
    case .minimum: keep(value, if: .less)
    case .maximum: keep(value, if: .greater)
    case .sum, .average: accumulate(value)
    }
  }

  private mutating func keep(_ value: RowValue, if wanted: Ordering) {
    if value.isNull || value.isNotANumber { return }
    if best.isNull || compare(value, best) == wanted { best = value }
    count += 1
  }

  private func compare(_ left: RowValue, _ right: RowValue) -> Ordering {
    kind == .any ? SortOrder.compare(left, right) : RowValue.compare(left, right)
  }

  private mutating func accumulate(_ value: RowValue) {
    if value.isNotANumber { return }
    switch value {
    case .int(let value): integers += Int128(value)
    case .float(let value): reals += Double(value)
    case .double(let value): reals += value
    case .decimal128(let value):
      decimals = decimals + DecimalNumber(value)
      isDecimal = true
    default: return
    }
    count += 1
  }

  /// Null without values; a sum is zero then.
  var result: RowValue {
    switch operation {
    case .minimum, .maximum: best
    case .sum: sum
    case .average: average
    }
  }

  private var sum: RowValue {
    if isDecimal { return .decimal128(decimalTotal.bits) }
    switch kind {
    case .int: return .int(Int64(truncatingIfNeeded: integers))
    default: return .double(reals + Double(integers))
    }
  }

  private var average: RowValue {
    if count == 0 { return .null }
    if isDecimal { return .decimal128(decimalTotal.divided(by: count).bits) }
    return .double((reals + Double(integers)) / Double(count))
  }

  /// Columns of any kind may mix decimals with other numbers.
  private var decimalTotal: DecimalNumber {
    var total = decimals
    if integers != 0 { total = total + DecimalNumber(Int64(truncatingIfNeeded: integers)) }
    if reals != 0 { total = total + DecimalNumber(reals) }
    return total
  }
}

extension RowValue {
  var isNotANumber: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value), .date(let value): value.isNaN
    case .decimal128(let bits): DecimalNumber(bits).kind == .notANumber
    default: false
    }
  }
}

extension AggregateOperation {
  /// The aggregate of values of that kind. Null where there is none (a sum is zero then).
  public func applied(to values: [StoredValue], _ kind: ValueKind) -> StoredValue {
    // Rows point into their constants.
    let constants = values.map { ConstantValue($0) }
    return withExtendedLifetime(constants) {
      var aggregate = RowAggregate(self, kind)
      for constant in constants { aggregate.add(constant.row) }
      return aggregate.result.stored
    }
  }
}
