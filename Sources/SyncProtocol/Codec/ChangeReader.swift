/// Reads what `ChangeWriter` writes.
struct ChangeReader {
  /// Names that the reader's replica does not know and does not want to add.
  private(set) var missingNames: [Text] = []
  /// Whether a name that is not known was used since this was last set to false.
  var hasMissingName = false
  var body: ByteReader
  private var names: [NameID]
  private var clients: [ClientID]
  private var lastTime: UInt64 = 0

  /// Reads the tables. Names that are not in `known` are added if `adding`.
  init(_ bytes: [UInt8], known: inout Names, adding: Bool) throws(WireError) {
    body = ByteReader(bytes)
    names = []
    clients = []
    let nameCount = try body.count(of: 1, upTo: Limits.names)
    names.reserveCapacity(min(nameCount, 4096))
    for _ in 0..<nameCount {
      let text = try body.text(upTo: Limits.nameBytes)
      if let id = known.find(text) {
        names.append(id)
      } else if adding {
        names.append(known.add(text))
      } else {
        names.append(.none)
        missingNames.append(text)
      }
    }
    let clientCount = try body.count(of: 8)
    clients.reserveCapacity(min(clientCount, 4096))
    for _ in 0..<clientCount { clients.append(ClientID(try body.fixed64())) }
  }

  mutating func name() throws(WireError) -> NameID {
    let index = try body.number()
    guard index < UInt64(names.count) else { throw .indexOutOfRange }
    let name = names[Int(index)]
    if name == .none { hasMissingName = true }
    return name
  }

  mutating func client() throws(WireError) -> ClientID {
    let index = try body.number()
    guard index < UInt64(clients.count) else { throw .indexOutOfRange }
    return clients[Int(index)]
  }

  mutating func stamp() throws(WireError) -> Stamp {
    let time = lastTime &+ UInt64(bitPattern: try body.signed())
    guard time <= Limits.latestTime else { throw .numberOutOfRange }
    lastTime = time
    return Stamp(time: time, client: try client())
  }

  mutating func element() throws(WireError) -> ElementID {
    ElementID(client: try client(), number: try body.number())
  }

  mutating func place() throws(WireError) -> PlaceName? {
    guard try body.flag() else { return nil }
    return PlaceName(element: try element(), stamp: try stamp())
  }

  mutating func object() throws(WireError) -> ObjectID {
    ObjectID(type: try name(), key: try key())
  }

  mutating func key() throws(WireError) -> ObjectKey {
    switch try body.byte() {
    case 0: return .null
    case 1: return .int(try body.signed())
    case 2: return .string(try body.text(upTo: Limits.keyBytes))
    case 3: return .objectID(try body.fixed64(), try body.fixed32())
    case 4: return .uuid(try body.fixed64(), try body.fixed64())
    case let kind: throw .unknownKind(kind)
    }
  }

  mutating func generation() throws(WireError) -> Generation {
    Generation(try body.number(upTo: Limits.generation))
  }

  mutating func container() throws(WireError) -> ContainerID {
    switch try body.byte() {
    case 0: return .root
    case 1: return ContainerID(declaredBy: try name(), in: .root)
    case 2:
      let maker = ContainerID(madeBy: try stamp())
      return ContainerID(declaredBy: try name(), in: maker)
    case 3: return ContainerID(madeBy: try stamp())
    case let kind: throw .unknownKind(kind)
    }
  }

  mutating func slot() throws(WireError) -> Slot {
    switch try body.byte() {
    case 0: return .property(try name())
    case 1: return .key(try body.text(upTo: Limits.valueBytes))
    case 2:
      let value = try self.value()
      guard value.container == nil, value != .absent else { throw .numberOutOfRange }
      return .member(value)
    case 3: return .item(try element())
    case let kind: throw .unknownKind(kind)
    }
  }
}
