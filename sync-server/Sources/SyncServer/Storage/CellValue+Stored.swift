import ObjectStore
import SyncProtocol

extension CellValue {
  /// Seconds from 1970 to 2001.
  private static let reference: Int64 = 978_307_200

  /// The value for a property, or for an element of its collection; nil if it is of another kind,
  /// or no plain value.
  func stored(for property: PropertyDescription) -> StoredValue? {
    let (value, kind): (StoredValue, ValueKind)
    switch self {
    case .null: return property.isOptional ? .null : nil
    case .bool(let truth): (value, kind) = (.bool(truth), .bool)
    case .int(let number): (value, kind) = (.int(number), .int)
    case .float(let bits): (value, kind) = (.float(Float(bitPattern: bits)), .float)
    case .double(let bits): (value, kind) = (.double(Double(bitPattern: bits)), .double)
    case .string(let text): (value, kind) = (.string(text.string), .string)
    case .data(let bytes): (value, kind) = (.data(bytes), .data)
    case .date(let seconds, let nanoseconds):
      let whole = Double(seconds.subtractingReportingOverflow(Self.reference).partialValue)
      (value, kind) = (.date(whole + Double(nanoseconds) / 1e9), .date)
    case .decimal(let high, let low):
      (value, kind) = (.decimal128(DecimalBits(low: low, high: high)), .decimal128)
    case .objectID(let head, let tail):
      (value, kind) = (.objectId(ObjectIdBytes(head: head, tail: tail)), .objectId)
    case .uuid(let head, let tail):
      (value, kind) = (.uuid(UUIDBytes(head: head, tail: tail)), .uuid)
    case .absent, .link, .object, .list, .set, .map: return nil
    }
    return property.kind == kind || property.kind == .any ? value : nil
  }
}

extension CellValue {
  /// Whether it is the simplest of all that equal it in a set of such values, and so what their
  /// slot has.
  func isSimplest(inSetOf property: PropertyType) -> Bool {
    let (member, kind): (StoredValue, ValueKind)
    switch self {
    case .float(let bits): (member, kind) = (.float(Float(bitPattern: bits)), .float)
    case .double(let bits): (member, kind) = (.double(Double(bitPattern: bits)), .double)
    case .decimal(let high, let low):
      (member, kind) = (.decimal128(DecimalBits(low: low, high: high)), .decimal128)
    default: return true
    }
    return member.simplest(inSetOf: property.value == .any ? .any : kind).isIdentical(to: member)
  }

  /// The member of a set that a cell with this value has, if its slot has that name: of all that
  /// compare as equal the name is the simplest.
  func member(named name: CellValue, in property: PropertyDescription) -> CellValue {
    guard self != .bool(true), let member = stored(for: property),
      let known = name.stored(for: property),
      member.simplest(inSetOf: property.kind).isIdentical(to: known)
    else { return name }
    return self
  }
}

extension SyncProtocol.ObjectKey {
  /// The value of a primary key; nil if keys of that property are of another kind.
  func stored(for property: PropertyDescription, in id: ObjectID) -> StoredValue? {
    if property.name == RealSchema.textKey { return .string(id.storedKey) }
    switch (self, property.kind) {
    case (.null, _): return property.isOptional ? .null : nil
    case (.int(let value), .int): return .int(value)
    case (.string(let text), .string): return .string(text.string)
    case (.objectID(let head, let tail), .objectId):
      return .objectId(ObjectIdBytes(head: head, tail: tail))
    case (.uuid(let head, let tail), .uuid): return .uuid(UUIDBytes(head: head, tail: tail))
    default: return nil
    }
  }

  /// The key that a value stands for; nil for what is no key.
  init?(_ value: StoredValue) {
    switch value {
    case .null: self = .null
    case .int(let number): self = .int(number)
    case .string(let text): self = .string(Text(text))
    case .objectId(let bytes): self = .objectID(bytes.head, bytes.tail)
    case .uuid(let bytes): self = .uuid(bytes.head, bytes.tail)
    default: return nil
    }
  }
}
