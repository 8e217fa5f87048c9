import ObjectStore
import SyncProtocol

/// The name of an object in the hidden tables: its class, and its key in a form that says its type.
enum ObjectName {
  static func text(_ id: ObjectID, _ names: Names) -> String {
    let type = names[id.type].string
    return switch id.key {
    case .null: "\(type)/n"
    case .int(let key): "\(type)/i\(key)"
    case .string(let key): "\(type)/s\(key.string)"
    case .objectID(let head, let tail): "\(type)/o\(head).\(tail)"
    case .uuid(let head, let tail): "\(type)/u\(head).\(tail)"
    }
  }

  static func id(_ text: String, _ names: Names) -> ObjectID? {
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")),
      let type = names.find(Text(String(text[..<slash])))
    else { return nil }
    let rest = text[text.utf8.index(after: slash)...]
    guard let kind = rest.utf8.first else { return nil }
    let value = rest[rest.utf8.index(after: rest.utf8.startIndex)...]
    let key: SyncProtocol.ObjectKey
    switch kind {
    case UInt8(ascii: "n"): key = .null
    case UInt8(ascii: "i"):
      guard let number = Int64(value) else { return nil }
      key = .int(number)
    case UInt8(ascii: "s"): key = .string(Text(String(value)))
    case UInt8(ascii: "o"):
      guard let (head, tail) = halves(value, UInt32.self) else { return nil }
      key = .objectID(head, tail)
    case UInt8(ascii: "u"):
      guard let (head, tail) = halves(value, UInt64.self) else { return nil }
      key = .uuid(head, tail)
    default: return nil
    }
    return ObjectID(type: type, key: key)
  }

  private static func halves<Tail: FixedWidthInteger>(
    _ text: Substring, _: Tail.Type
  ) -> (UInt64, Tail)? {
    let parts = text.split(separator: ".")
    guard parts.count == 2, let head = UInt64(parts[0]), let tail = Tail(parts[1]) else {
      return nil
    }
    return (head, tail)
  }
}

extension SyncProtocol.ObjectKey {
  /// Nil for what cannot be a primary key.
  init?(_ value: StoredValue) {
    switch value {
    case .null: self = .null
    case .int(let value): self = .int(value)
    case .string(let value): self = .string(Text(value))
    case .objectId(let value): self = .objectID(value.head, value.tail)
    case .uuid(let value): self = .uuid(value.head, value.tail)
    default: return nil
    }
  }

  var stored: StoredValue {
    switch self {
    case .null: .null
    case .int(let value): .int(value)
    case .string(let value): .string(value.string)
    case .objectID(let head, let tail): .objectId(ObjectIdBytes(head: head, tail: tail))
    case .uuid(let head, let tail): .uuid(UUIDBytes(head: head, tail: tail))
    }
  }

  /// Whether it is of the kind of the primary key.
  func fits(_ property: PropertyDescription) -> Bool {
    switch (self, property.kind) {
    case (.null, _): property.isOptional
    case (.int, .int), (.string, .string), (.objectID, .objectId), (.uuid, .uuid): true
    default: false
    }
  }
}
