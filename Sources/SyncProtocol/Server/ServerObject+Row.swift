/// The bytes of an object in the server's storage, in the encoding of changes. A format of this
/// version of the server, not of the protocol.
extension ServerObject {
  /// The bytes of the object.
  public func row(names: Names) -> [UInt8] {
    var writer = ChangeWriter(names: names)
    for number in [generation.rawValue, generationVersion.rawValue, version.rawValue] {
      writer.body.number(number)
    }
    writer.body.count(containers.count)
    for (id, container) in containers.sorted(by: { $0.key < $1.key }) {
      writer.container(id)
      writer.body.number(container.version.rawValue)
      writer.kind(container.kind)
      writer.body.count(container.registers.count)
      for (slot, register) in container.registers {
        writer.slot(slot)
        writer.write(register.stamp, maker: register.maker)
        writer.value(register.value)
        writer.body.number(register.version.rawValue)
        writer.client(register.author)
      }
      writer.body.flag(container.forgotten != nil)
      if let forgotten = container.forgotten { writer.stamp(forgotten) }
      if let list = container.list { writer.list(list) }
    }
    return writer.finish()
  }

  /// Reads an object.
  public init(row: [UInt8], names: Names) throws(WireError) {
    var names = names
    var reader = try ChangeReader(row, known: &names, adding: true)
    self.init()
    generation = try reader.generation()
    generationVersion = ServerVersion(try reader.body.number())
    version = ServerVersion(try reader.body.number())
    for _ in 0..<(try reader.body.count(of: 3)) {
      let id = try reader.container()
      let containerVersion = ServerVersion(try reader.body.number())
      let kind = try reader.kind()
      var container = ServerContainer(kind: kind, version: containerVersion)
      for _ in 0..<(try reader.body.count(of: 5)) {
        let slot = try reader.slot()
        let (stamp, maker) = try reader.cellStamp()
        container.registers[slot] = ServerRegister(
          stamp: stamp, maker: maker, value: try reader.value(),
          version: ServerVersion(try reader.body.number()), author: try reader.client())
      }
      if try reader.body.flag() { container.forgotten = try reader.stamp() }
      if kind == .list { container.list = try reader.list() }
      containers[id] = container
    }
    try reader.body.finish()
    byteBound = 3 * row.count
  }
}

extension ChangeWriter {
  /// Places come after those that they hang on, siblings in their order.
  fileprivate mutating func list(_ list: ServerList) {
    var numbers: [Int32: Int] = [0: 0]
    var open: [Int32] = [0]
    var next = 0
    body.count(list.tree.indexes.count)
    while next < open.count {
      let parent = list.tree[open[next]]
      for (isRight, children) in [(false, parent.left.all), (true, parent.right.all)] {
        for child in children {
          let place = list.tree[child]
          numbers[child] = open.count
          open.append(child)
          body.count(next)
          body.flag(isRight)
          element(place.name.element)
          stamp(place.name.stamp)
          stamp(place.sort)
          body.number(place.version.rawValue)
          body.number(place.deadVersion.rawValue)
        }
      }
      next += 1
    }
    body.count(list.elements.count)
    for (id, known) in list.elements.sorted(by: { $0.key < $1.key }) {
      element(id)
      body.count(numbers[known.place] ?? 0)
      body.number(known.placeVersion.rawValue)
      body.flag(known.deadVersion != nil)
      if let dead = known.deadVersion { body.number(dead.rawValue) }
    }
    body.count(list.recordedChanges.count)
    for change in list.recordedChanges {
      body.number(change.version.rawValue)
      element(change.element)
    }
  }
}

extension ChangeReader {
  fileprivate mutating func list() throws(WireError) -> ServerList {
    var tree = PlaceTree()
    var places: [Int32] = [0]
    var siblings: [Int: Int] = [:]
    for _ in 0..<(try body.count(of: 9)) {
      let parent = try body.number()
      guard parent < UInt64(places.count) else { throw .indexOutOfRange }
      let isRight = try body.flag()
      let name = PlaceName(element: try element(), stamp: try stamp())
      var place = PlaceTree.Place(
        name: name, sort: try stamp(), version: ServerVersion(try body.number()))
      place.deadVersion = ServerVersion(try body.number())
      let family = Int(parent) * 2 + (isRight ? 1 : 0)
      let index = siblings[family, default: 0]
      siblings[family] = index + 1
      places.append(
        tree.add(place, under: places[Int(parent)], isRightChild: isRight, at: index))
    }
    var elements: [ElementID: ServerList.Element] = [:]
    for _ in 0..<(try body.count(of: 5)) {
      let id = try element()
      let number = try body.number()
      guard number < UInt64(places.count) else { throw .indexOutOfRange }
      var known = ServerList.Element(
        place: places[Int(number)], placeVersion: ServerVersion(try body.number()))
      if try body.flag() { known.deadVersion = ServerVersion(try body.number()) }
      elements[id] = known
      if known.deadVersion == nil {
        tree.setLiving(known.place, true, version: tree[known.place].deadVersion)
      }
    }
    var changes: [(ServerVersion, ElementID)] = []
    for _ in 0..<(try body.count(of: 3)) {
      changes.append((ServerVersion(try body.number()), try element()))
    }
    return ServerList(tree: tree, elements: elements, changes: changes)
  }
}
