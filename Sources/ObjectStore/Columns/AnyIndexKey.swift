/// How values of any kind become the integers that their index is ordered by: the group of the
/// value's kind in the highest four bits, below it what orders the group, or a hash.
///
/// Numbers of all kinds are one group, in the order of their values, and dates another one. Of what
/// has a fraction, or is large, some bits are left out, so that values that are nearly equal may
/// share a key; a whole number below 2^46 shares its key with what is exactly equal alone.
enum AnyIndexKey {
  /// In the order in which values of different kinds are sorted. Raw values are part of the format.
  enum Group: UInt64 {
    case bool = 1
    case number = 2
    case string = 3
    case data = 4
    case date = 5
    case objectId = 6
    case uuid = 7
    case link = 8

    /// The keys of all values of the group.
    var all: ClosedRange<Int64> { key(0)...key(Self.mask) }

    /// Whether keys are in the order of the values.
    var isOrdered: Bool { self == .bool || self == .number || self == .date }

    private static let mask: UInt64 = 1 << 60 - 1

    func key(_ payload: UInt64) -> Int64 {
      Int64(bitPattern: (rawValue << 60 | payload & Self.mask) ^ 1 << 63)
    }
  }

  /// Whole numbers below it have keys of their own.
  static let wholeMax = 0x1p46

  /// The key of a value as a column holds it; nil for null.
  static func of(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    guard let first = unsafe bytes.first, let tag = ValueCodec.Tag(rawValue: first) else {
      return nil
    }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[1...])
    switch tag {
    case .string: return unsafe Group.string.key(hash(rest))
    case .data: return unsafe Group.data.key(hash(rest))
    default: break
    }
    switch unsafe ValueCodec.decode(bytes) {
    case .null, .string, .data: return nil
    case .bool(let value): return Group.bool.key(value ? 1 : 0)
    case .int(let value): return real(.number, Double(value))
    case .float(let value): return real(.number, Double(value))
    case .double(let value): return real(.number, value)
    case .decimal128(let bits): return real(.number, besideWholeNumbers(DecimalNumber(bits)))
    case .date(let value): return real(.date, value)
    case .objectId: return unsafe Group.objectId.key(hash(rest))
    case .uuid: return unsafe Group.uuid.key(hash(rest))
    case .link: return unsafe Group.link.key(hash(rest))
    }
  }

  static func of(_ value: StoredValue) -> Int64? {
    unsafe ValueCodec.encode(value).withUnsafeBytes { unsafe of($0) }
  }

  /// 60 bits.
  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    unsafe UInt64(bitPattern: IndexValue.hash(bytes)) >> 4
  }

  /// Not-a-number comes first. Of others 59 bits of the ordered double, and one that sets a whole
  /// number apart from what has a fraction: a positive one is the least of all that agree in those
  /// bits, a negative one the greatest.
  private static func real(_ group: Group, _ value: Double) -> Int64 {
    if value.isNaN { return group.key(0) }
    let upper = UInt64(bitPattern: IndexValue.ordered(value) >> 5 + 1 << 58)
    let isApart = isWhole(value) == (value < 0)
    return group.key(upper << 1 | (isApart ? 1 : 0))
  }

  private static func isWhole(_ value: Double) -> Bool {
    value.magnitude < wholeMax && value == value.rounded(.towardZero)
  }

  /// The nearest double; where that is a whole number and the decimal is not, the next one on the
  /// decimal's side.
  private static func besideWholeNumbers(_ decimal: DecimalNumber) -> Double {
    let nearest = decimal.double
    guard isWhole(nearest) else { return nearest }
    switch decimal.compare(to: DecimalNumber(Int64(nearest))) {
    case .less: return nearest.nextDown
    case .greater: return nearest.nextUp
    case .equal, .different: return nearest
    }
  }

  // MARK: Constants

  /// Where everything that compares equal to a constant is, and perhaps more.
  struct Place {
    let group: Group
    let keys: ClosedRange<Int64>
    /// Whether nothing else is there, and in an ordered group what is less stands before it and
    /// what is greater behind it.
    let isExact: Bool
  }

  /// Nil for null.
  static func place(of value: StoredValue) -> Place? {
    switch value {
    case .null: return nil
    case .bool: return exact(.bool, value)
    case .string: return hashed(.string, value)
    case .data: return hashed(.data, value)
    case .objectId: return hashed(.objectId, value)
    case .uuid: return hashed(.uuid, value)
    case .link: return hashed(.link, value)
    case .date(let date):
      return isWhole(date) || date.isNaN ? exact(.date, value) : hashed(.date, value)
    case .int(let integer): return number(Double(integer), wholeBelow: wholeMax, spread: 0)
    case .double(let real): return number(real, wholeBelow: wholeMax, spread: 0)
    // Floats and decimals are compared by the seven digits that a float surely has.
    case .float(let real): return number(Double(real), wholeBelow: 0x1p23, spread: 0x1p-19)
    case .decimal128(let bits):
      return number(besideWholeNumbers(DecimalNumber(bits)), wholeBelow: 0, spread: 0x1p-19)
    }
  }

  private static func exact(_ group: Group, _ value: StoredValue) -> Place? {
    of(value).map { Place(group: group, keys: $0...$0, isExact: true) }
  }

  private static func hashed(_ group: Group, _ value: StoredValue) -> Place? {
    of(value).map { Place(group: group, keys: $0...$0, isExact: false) }
  }

  /// What is nearer than `spread`, or agrees in all bits but a few, may be equal.
  private static func number(_ value: Double, wholeBelow limit: Double, spread: Double) -> Place {
    let all = Group.number.all
    let key = real(.number, value)
    if value.isNaN || isWhole(value) && value.magnitude < limit {
      return Place(group: .number, keys: key...key, isExact: true)
    }
    let distance = value.isFinite ? value.magnitude * spread : 0
    let lower = max(all.lowerBound, real(.number, value - distance) - 4)
    let upper = min(all.upperBound, real(.number, value + distance) + 4)
    return Place(group: .number, keys: lower...upper, isExact: false)
  }
}
