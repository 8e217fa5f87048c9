extension StoredValue {
  /// One of all values that equal this one in a set, the same for all of them: 1.5 of 1.50, zero of
  /// minus zero. So equal members have one name.
  ///
  /// Among values of any kind it is an integer, if there is one, or else a double: of a decimal the
  /// one that reads like it, of a float the one that it is.
  public func simplest(inSetOf kind: ValueKind) -> StoredValue {
    switch self {
    case .float(let number):
      if kind == .any { return Self.simplest(of: Double(number)) }
      return number.isNaN ? .float(.nan) : number == 0 ? .float(0) : self
    case .double(let number):
      if kind == .any { return Self.simplest(of: number) }
      return number.isNaN ? .double(.nan) : number == 0 ? .double(0) : self
    case .decimal128(let bits):
      let number = DecimalNumber(bits)
      return kind == .any ? Self.simplest(of: number) : .decimal128(number.simplest.bits)
    default: return self
    }
  }

  private static func simplest(of number: Double) -> StoredValue {
    if let whole = Int64(exactly: number) { return .int(whole) }
    return .double(number.isNaN ? .nan : number)
  }

  private static func simplest(of number: DecimalNumber) -> StoredValue {
    guard number.isFinite else { return simplest(of: number.double) }
    if let whole = number.whole { return .int(whole) }
    let real = number.double
    // A double that is an integer counts as that, and the least one is written with other digits.
    let isItself = real.isFinite && Int64(exactly: real) == nil
    if isItself, DecimalNumber(real).compare(to: number) == .equal { return .double(real) }
    return .decimal128(number.simplest.bits)
  }
}

extension DecimalNumber {
  /// The same value with as few digits as there can be.
  fileprivate var simplest: DecimalNumber {
    if isNaN { return DecimalNumber(Double.nan) }
    if isZero { return DecimalNumber(Int64(0)) }
    guard isFinite else { return self }
    var simplest = self
    while simplest.coefficient % 10 == 0, simplest.exponent < Self.exponentMax {
      simplest.coefficient /= 10
      simplest.exponent += 1
    }
    return simplest
  }

  /// The value, if it is a whole number that an integer has.
  fileprivate var whole: Int64? {
    let simplest = simplest
    guard (0...18).contains(simplest.exponent) else { return nil }
    var magnitude = simplest.coefficient
    for _ in 0..<simplest.exponent {
      let (product, isTooLarge) = magnitude.multipliedReportingOverflow(by: 10)
      if isTooLarge { return nil }
      magnitude = product
    }
    guard magnitude <= UInt128(Int64.max) + (isNegative ? 1 : 0) else { return nil }
    let value = Int128(magnitude)
    return Int64(isNegative ? -value : value)
  }
}
