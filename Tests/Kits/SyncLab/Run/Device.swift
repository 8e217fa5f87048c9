import SyncProtocol
import TestSupport

/// A client: its file, its program, its clock, and its connection if it has one.
struct Device {
  let number: Int
  /// Whether its program is of the newer version.
  private(set) var isNew: Bool
  /// Milliseconds that its clock is off.
  let skew: Int64
  var core: ClientCore<MemoryClientStorage>
  var session: ClientSession?
  /// The download that the last connection was cut in.
  var interrupted: DownloadProgress?
  var toServer: [[UInt8]] = []
  var toClient: [[UInt8]] = []
  var isAway = false
  /// What its programs have written and committed.
  var promises = Promises()
  /// Objects, by the names of the server, of which something was refused, with the time of the
  /// last write that was: what came later is promised all the same.
  var refused: [ObjectID: UInt64] = [:]
  /// Elements that its programs inserted by what was refused: they go with all that is written of
  /// them until the client knows.
  var refusedElements: [ObjectID: Set<ElementID>] = [:]
  /// Containers that were made by what was refused, and until when its programs wrote to them not
  /// knowing: that is gone with them, though another device may make them once more.
  var refusedContainers: [ObjectID: [ContainerID: UInt64]] = [:]

  init(number: Int, isNew: Bool, skew: Int64) {
    self.number = number
    self.isNew = isNew
    self.skew = skew
    core = ClientCore(storage: MemoryClientStorage(client: ClientID(0x1000 + UInt64(number))))
    addNames()
  }

  private mutating func addNames() {
    for type in LabClasses.classes(isNew: isNew) {
      _ = core.storage.record.names.add(type.name)
      for name in type.properties.keys.sorted() { _ = core.storage.record.names.add(name) }
    }
  }

  /// Its program becomes the newer one, in a transaction: the file has a place now for what others
  /// have written into properties that it lacked, and nothing in it.
  mutating func upgrade() {
    isNew = true
    addNames()
    core.storage.forget(newProperties: added)
    core.storage.record.hasNewClasses = true
  }

  /// What items of the newer program have beside the others.
  fileprivate var added: [NameID: Set<NameID>] {
    let names = LabClasses.added.keys.compactMap { core.storage.record.names.find($0) }
    return [name(LabClasses.item): Set(names)]
  }

  var id: ClientID { core.storage.record.client }

  /// All that the server has not acknowledged and would take.
  var unacknowledged: [ObjectChange] {
    var whole = core
    whole.wantedBatchBytes = .max
    whole.fullBatchBytes = .max
    whole.changeBytes = .max
    return whole.portion().objects
  }

  /// Nothing else of what it has written has to be on the server from now on.
  mutating func promiseUnacknowledged() {
    promises = Promises()
    promises.add(unacknowledged)
  }

  var user: Text { Text("user \(number)") }

  func name(_ text: Text) -> NameID { core.storage.record.names.find(text) ?? .none }

  func now(_ clock: UInt64) -> UInt64 { UInt64(Int64(clock) + skew) }
}

/// What the program of a device does, at random.
struct Program {
  var random: SeededGenerator
  let now: UInt64
  /// Of 100 numbers so many are not allowed, beside those that are by chance.
  var refusedPercent = 0

  mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

  mutating func pick<Element>(_ list: [Element]) -> Element { list[random.below(list.count)] }

  mutating func number() -> Int64 {
    if refusedPercent > 0, chance(refusedPercent) { return LabClasses.unlucky }
    let number = Int64(random.below(200))
    return number == LabClasses.unlucky && chance(70) ? 14 : number
  }

  /// One transaction: some writes that end together, or come to nothing.
  mutating func transact(_ device: inout Device, keys: Int) {
    device.core.beginCommit()
    for _ in 0..<(1 + random.below(4)) { write(&device, keys: keys) }
    if chance(5) {
      device.core.storage.rollback()
    } else {
      do {
        try device.core.storage.commit()
      } catch {
        device.core.storage.rollback()
      }
      device.promises.add(device.unacknowledged)
    }
  }

  private func delete(_ id: ObjectID, _ device: inout Device) {
    device.promises.forget(id)
    device.core.delete(id, now: now)
  }

  private mutating func write(_ device: inout Device, keys: Int) {
    if chance(10) { return writePair(&device) }
    let id = ObjectID(
      type: device.name(LabClasses.item), key: .int(Int64(random.below(keys))))
    if !device.core.exists(id) {
      if chance(60) { create(id, &device) }
      return
    }
    switch random.below(20) {
    case 0: delete(id, &device)
    case 1: set("owner", .int(Int64(random.below(3))), id, &device)
    case 2, 3: set("a", .int(number()), id, &device)
    case 4: set("b", chance(20) ? .null : .string(Text("s\(number())")), id, &device)
    case 5:
      let target = ObjectID(type: id.type, key: .int(Int64(random.below(keys + 3))))
      set("link", chance(20) ? .null : .link(target), id, &device)
    case 6: if device.isNew { setAdded(id, &device) }
    case 7, 8: set("any", value(), id, &device)
    case 9: set("child", chance(25) ? .null : .object(device.name("Part")), id, &device)
    case 10: set(pick(["list", "anys", "parts"]), .list, id, &device)
    case 11: set(pick(["set", "map"]), .absent, id, &device)
    default: writeCollection(id, &device)
    }
  }

  private mutating func setAdded(_ id: ObjectID, _ device: inout Device) {
    switch random.below(4) {
    case 0: set("extra", .int(number()), id, &device)
    case 1:
      let part = CellValue.object(device.name(LabClasses.part))
      set("extraPart", chance(25) ? .null : part, id, &device)
    default:
      let names = device.core.storage.record.names
      guard let list = names.find(pick(["extras", "extraParts"])),
        let state = device.core.storage.state(of: id)
      else { return }
      writeList(state.collection(list), id, &device)
    }
  }

  private mutating func create(_ id: ObjectID, _ device: inout Device) {
    device.core.create(id, now: now)
    device.core.set(
      .property(device.name("a")), in: id, to: .int(0), isDefault: true, now: now)
    set("owner", .int(Int64(random.below(3))), id, &device)
  }

  private mutating func set(
    _ property: Text, _ value: CellValue, _ id: ObjectID, _ device: inout Device
  ) {
    var value = value
    if value == .absent { value = property == "set" ? .set : .map }
    device.core.set(.property(device.name(property)), in: id, to: value, now: now)
  }

  /// Two objects that only this program writes, and always together.
  private mutating func writePair(_ device: inout Device) {
    let value = CellValue.int(Int64(random.below(1_000_000)) + 1000)
    for half in 0..<2 {
      let id = ObjectID(
        type: device.name(LabClasses.pair), key: .int(Int64(device.number * 2 + half)))
      if !device.core.exists(id) { device.core.create(id, now: now) }
      device.core.set(.property(device.name("value")), in: id, to: value, now: now)
    }
  }

  private mutating func value() -> CellValue {
    switch random.below(6) {
    case 0: .list
    case 1: .map
    case 2: .set
    case 3: .null
    default: .int(number())
    }
  }

  /// Writes something in a container, however deep.
  private mutating func writeCollection(_ id: ObjectID, _ device: inout Device) {
    guard var state = device.core.storage.state(of: id) else { return }
    let names = device.core.storage.record.names
    // What others have there, the program does not see.
    if !device.isNew { _ = state.forget(newProperties: device.added) }
    var containers: [(ContainerID, ContainerKind)] = []
    for (property, kind) in [
      ("list", ContainerKind.list), ("list", .list), ("anys", .list), ("parts", .list),
      ("set", .set), ("map", .map),
    ] as [(Text, ContainerKind)] {
      guard let name = names.find(property) else { continue }
      containers.append((state.collection(name), kind))
    }
    for (name, kind) in state.containerKinds.sorted(by: { $0.key < $1.key }) where name != .root {
      containers.append((name, kind))
      if case .object = kind, let numbers = names.find("numbers") {
        containers.append((state.collection(numbers, of: name), .list))
      }
    }
    let (container, kind) = pick(containers)
    switch kind {
    case .list: writeList(container, id, &device)
    case .set:
      let member = Slot.member(.int(Int64(random.below(5))))
      let value: CellValue = chance(60) ? .bool(true) : .absent
      device.core.set(member, of: container, in: id, to: value, now: now)
    case .map:
      let value = chance(30) ? .absent : value()
      let key = Slot.key(Text("k\(random.below(4))"))
      device.core.set(key, of: container, in: id, to: value, now: now)
    case .object:
      let property: Text = chance(80) ? "x" : "child"
      let value: CellValue =
        property == "x"
        ? .int(number()) : (chance(50) ? .null : .object(device.name(LabClasses.part)))
      device.core.set(
        .property(device.name(property)), of: container, in: id, to: value, now: now)
    }
  }

  private mutating func writeList(
    _ container: ContainerID, _ id: ObjectID, _ device: inout Device
  ) {
    let count = device.core.storage.state(of: id)?.elements(of: container).count ?? 0
    let names = device.core.storage.record.names
    let property = container.isDeclared ? names[container.property].string : ""
    let isParts =
      property == "parts" || property == "extraParts"
      || (!container.isDeclared && isReplacement(container, of: "parts", id, device))
    let isPlain =
      property == "list" || property == "numbers" || property == "extras"
      || isReplacement(container, of: "list", id, device)
    func element(_ program: inout Program) -> CellValue {
      if isParts { return .object(names.find(LabClasses.part) ?? .none) }
      return isPlain ? .int(program.number()) : program.value()
    }
    let at = pick([0, count, random.below(count + 1), random.below(count + 1)])
    switch random.below(20) {
    case 0..<10 where count < 40, _ where count == 0:
      for offset in 0..<pick([1, 1, 2, 4]) {
        let index = chance(15) ? at : at + offset
        device.core.insert(element(&self), at: index, of: container, in: id, now: now)
      }
    case 0..<14:
      let index = random.below(count)
      if let state = device.core.storage.state(of: id) {
        device.promises.forget(state.elements(of: container)[index])
      }
      device.core.removeItem(index, of: container, in: id, now: now)
    case 14..<17:
      device.core.setItem(
        random.below(count), of: container, in: id, to: element(&self), now: now)
    default:
      device.core.moveItem(
        random.below(count), to: random.below(count), of: container, in: id, now: now)
    }
  }

  private func isReplacement(
    _ container: ContainerID, of property: Text, _ id: ObjectID, _ device: Device
  ) -> Bool {
    guard let name = device.core.storage.record.names.find(property) else { return false }
    return device.core.storage.state(of: id)?.collection(name) == container
  }
}
