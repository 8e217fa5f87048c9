/// Calculations with numbers as they stand in rows.
///
/// Whole numbers wrap and their quotients are cut off; with a decimal the result is a decimal, with
/// any other number that has fractions a double.
enum RowArithmetic {
  /// Null if one of the two is no number, or for a whole number divided by zero.
  static func apply(
    _ left: RowValue, _ operation: ArithmeticOperation, _ right: RowValue
  ) -> RowValue {
    if case .int(let left) = left, case .int(let right) = right {
      return integers(left, operation, right)
    }
    if left.isDecimal || right.isDecimal {
      guard let left = left.decimal, let right = right.decimal else { return .null }
      return .decimal128(decimals(left, operation, right).bits)
    }
    guard let left = left.real, let right = right.real else { return .null }
    switch operation {
    case .add: return .double(left + right)
    case .subtract: return .double(left - right)
    case .multiply: return .double(left * right)
    case .divide: return .double(left / right)
    }
  }

  private static func integers(
    _ left: Int64, _ operation: ArithmeticOperation, _ right: Int64
  ) -> RowValue {
    switch operation {
    case .add: .int(left &+ right)
    case .subtract: .int(left &- right)
    case .multiply: .int(left &* right)
    case .divide: right == 0 ? .null : .int(left.dividedReportingOverflow(by: right).partialValue)
    }
  }

  private static func decimals(
    _ left: DecimalNumber, _ operation: ArithmeticOperation, _ right: DecimalNumber
  ) -> DecimalNumber {
    switch operation {
    case .add: return left + right
    case .subtract:
      var negated = right
      negated.isNegative.toggle()
      return left + negated
    case .multiply: return left * right
    case .divide: return left / right
    }
  }
}

extension RowValue {
  fileprivate var isDecimal: Bool { if case .decimal128 = self { true } else { false } }

  fileprivate var real: Double? {
    switch self {
    case .int(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}
