/// A value as it stands in a row: nothing to retain, so that rows can be compared without cost.
///
/// Byte strings point into the version that was read (or, for values in several pieces, into the
/// memory of the `EvaluationContext`) and are valid as long as that is.
@safe enum RowValue {
  case null
  case int(Int64)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(UnsafeRawBufferPointer)
  case data(UnsafeRawBufferPointer)
  case date(Double)
  case objectId(ObjectIdBytes)
  case uuid(UUIDBytes)
  case decimal128(DecimalBits)
  case link(TableKey, ObjectKey)

  var isNull: Bool { if case .null = self { true } else { false } }

  /// How two values compare: numbers by value whatever their kinds, null equal to null only.
  /// Not-a-number equals itself and is below all numbers.
  @inline(__always)
  static func compare(_ left: RowValue, _ right: RowValue) -> Ordering {
    switch (left, right) {
    case (.int(let a), .int(let b)): .of(a, b)
    case (.double(let a), .double(let b)), (.date(let a), .date(let b)): .ofReals(a, b)
    case (.string(let a), .string(let b)), (.data(let a), .data(let b)):
      unsafe ByteOrder.compare(a, b)
    default: compareUnlike(left, right)
    }
  }

  private static func compareUnlike(_ left: RowValue, _ right: RowValue) -> Ordering {
    switch (left, right) {
    case (.null, .null): .equal
    case (.bool(let a), .bool(let b)): .of(a ? 1 : 0, b ? 1 : 0)
    case (.objectId(let a), .objectId(let b)): .of(a, b)
    case (.uuid(let a), .uuid(let b)): .of(a, b)
    case (.link(let tableA, let a), .link(let tableB, let b)):
      tableA == tableB ? .of(a, b) : .of(tableA.rawValue, tableB.rawValue)
    default: compareNumbers(left, right)
    }
  }

  private static func compareNumbers(_ left: RowValue, _ right: RowValue) -> Ordering {
    if case .decimal128(let a) = left {
      guard let b = right.decimal else { return .different }
      return DecimalNumber(a).compare(to: b)
    }
    if case .decimal128 = right { return compareNumbers(right, left).reversed }
    switch (left.number, right.number) {
    case (.integer(let a), .integer(let b)): return .of(a, b)
    case (.real(let a), .real(let b)): return .ofReals(a, b)
    case (.integer(let a), .real(let b)): return NumberOrder.compare(a, b)
    case (.real(let a), .integer(let b)): return NumberOrder.compare(b, a).reversed
    case (.none, _), (_, .none): return .different
    }
  }

  private enum Number {
    case none
    case integer(Int64)
    case real(Double)
  }

  private var number: Number {
    switch self {
    case .int(let value): .integer(value)
    case .float(let value): .real(Double(value))
    case .double(let value): .real(value)
    default: .none
    }
  }

  var decimal: DecimalNumber? {
    switch self {
    case .decimal128(let bits): DecimalNumber(bits)
    case .int(let value): DecimalNumber(value)
    case .float(let value): DecimalNumber(value)
    case .double(let value): DecimalNumber(value)
    default: nil
    }
  }
}

/// A value of a predicate, kept where rows can be compared with it.
@safe final class ConstantValue: @unchecked Sendable {
  // Sendable: nothing changes after init. The bytes are its own.
  let stored: StoredValue
  private let bytes: UnsafeMutableRawBufferPointer?

  init(_ stored: StoredValue) {
    self.stored = stored
    switch stored {
    case .string(let text): unsafe bytes = Array(text.utf8).withUnsafeBytes { unsafe Self.copy($0) }
    case .data(let data): unsafe bytes = data.withUnsafeBytes { unsafe Self.copy($0) }
    default: unsafe bytes = nil
    }
  }

  deinit { unsafe bytes?.deallocate() }

  private static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    unsafe copy.copyMemory(from: bytes)
    return unsafe copy
  }

  /// Valid as long as this object.
  var row: RowValue {
    switch stored {
    case .null: .null
    case .int(let value): .int(value)
    case .bool(let value): .bool(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .string: unsafe .string(UnsafeRawBufferPointer(bytes.unsafelyUnwrapped))
    case .data: unsafe .data(UnsafeRawBufferPointer(bytes.unsafelyUnwrapped))
    case .date(let value): .date(value)
    case .objectId(let value): .objectId(value)
    case .uuid(let value): .uuid(value)
    case .decimal128(let value): .decimal128(value)
    case .link(let table, let object): .link(table, object)
    }
  }
}

extension RowValue {
  /// The value as one that can be kept.
  var stored: StoredValue {
    switch self {
    case .null: .null
    case .int(let value): .int(value)
    case .bool(let value): .bool(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .string(let bytes): unsafe .string(String(decoding: bytes, as: UTF8.self))
    case .data(let bytes): unsafe .data(Array(bytes))
    case .date(let value): .date(value)
    case .objectId(let value): .objectId(value)
    case .uuid(let value): .uuid(value)
    case .decimal128(let value): .decimal128(value)
    case .link(let table, let object): .link(table, object)
    }
  }
}
