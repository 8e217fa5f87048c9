import ObjectStore
import SyncProtocol

/// An object's identity as the text that the server's tables have as primary key: the number of the
/// class, a letter for the kind of key, and the key.
extension ObjectID {
  var storedKey: String {
    let key =
      switch self.key {
      case .null: "n"
      case .int(let value): "i\(value)"
      case .string(let text): "s" + text.string
      case .objectID(let head, let tail): "o\(head):\(tail)"
      case .uuid(let head, let tail): "u\(head):\(tail)"
      }
    return "\(type.rawValue)/\(key)"
  }

  init?(storedKey text: String) {
    let bytes = text.utf8
    guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
      let number = UInt32(text[..<slash]), bytes.index(after: slash) < bytes.endIndex
    else { return nil }
    let start = bytes.index(after: slash)
    let rest = text[bytes.index(after: start)...]
    let halves = rest.split(separator: ":", omittingEmptySubsequences: false)
    let key: SyncProtocol.ObjectKey
    switch bytes[start] {
    case UInt8(ascii: "n"): key = .null
    case UInt8(ascii: "s"): key = .string(Text(String(rest)))
    case UInt8(ascii: "i"):
      guard let value = Int64(rest) else { return nil }
      key = .int(value)
    case UInt8(ascii: "o"):
      guard halves.count == 2, let head = UInt64(halves[0]), let tail = UInt32(halves[1]) else {
        return nil
      }
      key = .objectID(head, tail)
    case UInt8(ascii: "u"):
      guard halves.count == 2, let head = UInt64(halves[0]), let tail = UInt64(halves[1]) else {
        return nil
      }
      key = .uuid(head, tail)
    default: return nil
    }
    self.init(type: NameID(number), key: key)
  }
}

extension ObjectID {
  /// The object of a class with that primary key.
  init?(type: NameID, stored value: StoredValue, _ property: PropertyDescription) {
    if property.name == RealSchema.textKey {
      guard case .string(let text) = value else { return nil }
      self.init(storedKey: text)
    } else if let key = SyncProtocol.ObjectKey(value) {
      self.init(type: type, key: key)
    } else {
      return nil
    }
  }
}
