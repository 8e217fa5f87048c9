import ObjectStore
import SyncProtocol

// Values as the file has them and as cells have them. Links are not among these: what they lead to
// has to be looked up.

extension CellValue {
  /// The value of a cell; nil for a link.
  init?(_ value: StoredValue) {
    switch value {
    case .null: self = .null
    case .int(let value): self = .int(value)
    case .bool(let value): self = .bool(value)
    case .float(let value): self = .float(value.bitPattern)
    case .double(let value): self = .double(value.bitPattern)
    case .string(let value): self = .string(Text(value))
    case .data(let value): self = .data(value)
    case .date(let value): self = Self.date(sinceReference: value)
    case .objectId(let value): self = .objectID(value.head, value.tail)
    case .uuid(let value): self = .uuid(value.head, value.tail)
    case .decimal128(let value): self = .decimal(value.high, value.low)
    case .link: return nil
    }
  }

  /// Seconds from 1970 to 2001.
  private static let reference: Int64 = 978_307_200
  /// Seconds beyond which a date is taken for one that far away.
  private static let secondsMax = 1e15

  private static func date(sinceReference seconds: Double) -> CellValue {
    guard seconds == seconds else { return .date(0, 0) }
    let near = min(max(seconds, -secondsMax), secondsMax)
    var whole = near.rounded(.down)
    var nanoseconds = ((near - whole) * 1e9).rounded()
    if nanoseconds >= 1e9 {
      whole += 1
      nanoseconds = 0
    }
    return .date(Int64(whole) + reference, UInt32(nanoseconds))
  }

  /// The value for a property, or for an element of its collection; nil if it is of another kind,
  /// or no plain value.
  func stored(for property: PropertyDescription) -> StoredValue? {
    switch (self, property.kind) {
    case (.null, _): return property.isOptional ? .null : nil
    case (.int(let value), .int), (.int(let value), .any): return .int(value)
    case (.bool(let value), .bool), (.bool(let value), .any): return .bool(value)
    case (.float(let bits), .float), (.float(let bits), .any):
      return .float(Float(bitPattern: bits))
    case (.double(let bits), .double), (.double(let bits), .any):
      return .double(Double(bitPattern: bits))
    case (.string(let text), .string), (.string(let text), .any): return .string(text.string)
    case (.data(let bytes), .data), (.data(let bytes), .any): return .data(bytes)
    case (.date(let seconds, let nanoseconds), .date),
      (.date(let seconds, let nanoseconds), .any):
      let whole = Double(seconds.subtractingReportingOverflow(Self.reference).partialValue)
      return .date(whole + Double(nanoseconds) / 1e9)
    case (.objectID(let head, let tail), .objectId), (.objectID(let head, let tail), .any):
      return .objectId(ObjectIdBytes(head: head, tail: tail))
    case (.uuid(let head, let tail), .uuid), (.uuid(let head, let tail), .any):
      return .uuid(UUIDBytes(head: head, tail: tail))
    case (.decimal(let high, let low), .decimal128), (.decimal(let high, let low), .any):
      return .decimal128(DecimalBits(low: low, high: high))
    default: return nil
    }
  }
}
