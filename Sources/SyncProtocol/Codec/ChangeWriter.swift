/// Writes changes with their tables: names and clients are written once, and times as differences.
///
/// The tables come first in the encoding and are known last, so the body has a buffer of its own.
struct ChangeWriter {
  var body = ByteWriter()
  private let names: Names
  private var usedNames: [NameID] = []
  private var nameIndexes: [NameID: Int] = [:]
  private var clients: [ClientID] = []
  private var clientIndexes: [ClientID: Int] = [:]
  private var lastTime: UInt64 = 0

  init(names: Names) { self.names = names }

  /// The tables and the body.
  func finish() -> [UInt8] {
    var whole = ByteWriter()
    whole.count(usedNames.count)
    for name in usedNames { whole.text(names[name]) }
    whole.count(clients.count)
    for client in clients { whole.fixed64(client.rawValue) }
    whole.raw(body.bytes)
    return whole.bytes
  }

  mutating func name(_ id: NameID) {
    if let known = nameIndexes[id] { return body.count(known) }
    nameIndexes[id] = usedNames.count
    body.count(usedNames.count)
    usedNames.append(id)
  }

  mutating func client(_ id: ClientID) {
    if let known = clientIndexes[id] { return body.count(known) }
    clientIndexes[id] = clients.count
    body.count(clients.count)
    clients.append(id)
  }

  mutating func stamp(_ stamp: Stamp) {
    body.signed(Int64(bitPattern: stamp.time &- lastTime))
    lastTime = stamp.time
    client(stamp.client)
  }

  mutating func element(_ element: ElementID) {
    client(element.client)
    body.number(element.number)
  }

  mutating func place(_ place: PlaceName?) {
    body.flag(place != nil)
    guard let place else { return }
    element(place.element)
    stamp(place.stamp)
  }

  mutating func object(_ id: ObjectID) {
    name(id.type)
    key(id.key)
  }

  mutating func key(_ key: ObjectKey) {
    switch key {
    case .null: body.byte(0)
    case .int(let value):
      body.byte(1)
      body.signed(value)
    case .string(let value):
      body.byte(2)
      body.text(value)
    case .objectID(let high, let low):
      body.byte(3)
      body.fixed64(high)
      body.fixed32(low)
    case .uuid(let high, let low):
      body.byte(4)
      body.fixed64(high)
      body.fixed64(low)
    }
  }

  mutating func container(_ id: ContainerID) {
    if id == .root { return body.byte(0) }
    body.byte(id.isDeclared ? (id.maker == .zero ? 1 : 2) : 3)
    if id.maker != .zero { stamp(id.maker) }
    if id.isDeclared { name(id.property) }
  }

  mutating func slot(_ slot: Slot) {
    switch slot {
    case .property(let property):
      body.byte(0)
      name(property)
    case .key(let key):
      body.byte(1)
      body.text(key)
    case .member(let value):
      body.byte(2)
      self.value(value)
    case .item(let item):
      body.byte(3)
      element(item)
    }
  }
}
