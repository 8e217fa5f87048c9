import ServerKit
import SyncProtocol
import Testing

/// Devices that change tasks and projects at random, and what they want to see of them; whenever
/// all is sent, each has to have what it asks for and no more.
///
/// What is done follows from the seed; how it meets does not.
final class ViewRun {
  private static let owners = ["a", "b", "c", "d"]
  private static let names = ["", "x", "y"]
  private static let codes = ["p", "q", "r"]
  private static let keys: ClosedRange<Int64> = 1...14
  /// The key of what is written last, for the version that all have to come to.
  private static let markerKey: Int64 = 1_000_000

  private let server: ServerProcess
  private let token: String
  private var random: Seeded
  private let devices = (1...6).map { Device(UInt64($0)) }
  private var queries: [[ViewQuery]]
  private var isConnected: [Bool]
  /// Whether a device has the property `extra`.
  private var isGrown: [Bool]
  /// Sees everything.
  private let witness = Device(100)
  private var markers: Int64 = 0
  private var bulk: Int64 = 1_000

  init(seed: UInt64) async throws {
    random = Seeded(state: seed)
    server = try ServerProcess()
    try await server.start()
    token = try await server.anonymous()
    queries = devices.map { _ in [] }
    isConnected = devices.map { _ in false }
    isGrown = devices.map { _ in false }
    try await witness.write { core in
      core.subscribe(to: [ViewQuery.all.subscription, ViewQuery.allProjects.subscription])
    }
    try await witness.connect(server, token: token)
    for index in devices.indices {
      try await changeQueries(index)
      try await connect(index)
    }
  }

  /// - Returns: how it went wrong; nil if it did not.
  func run(rounds: Int, steps: Int) async throws -> String? {
    for round in 0..<rounds {
      for _ in 0..<steps { try await step() }
      if let problem = try await check() { return "round \(round): \(problem)" }
    }
    return nil
  }

  // MARK: Steps

  private func step() async throws {
    let index = random.below(devices.count)
    switch random.below(100) {
    case 0..<8: try await changeQueries(index)
    case 8..<16: try await changeConnection(index)
    case 16..<18: try await restart()
    case 18..<20: try await grow(index)
    case 20..<22: try await writeMany(index)
    default:
      let seed = random.next()
      try await devices[index].write { core in
        var random = Seeded(state: seed)
        for _ in 0...random.below(3) { core.changeSomething(&random) }
      }
    }
  }

  private func changeQueries(_ index: Int) async throws {
    let wanted = (0...random.below(2)).map { _ in query(isGrown: isGrown[index]) }
    queries[index] = wanted
    try await devices[index].write { $0.subscribe(to: wanted.map(\.subscription)) }
  }

  private func query(isGrown: Bool) -> ViewQuery {
    let owner = Self.owners[random.below(4)]
    let number = Int64(random.below(6))
    switch random.below(isGrown ? 22 : 20) {
    case 0: return .all
    case 1: return .owner(owner)
    case 2: return .owners([owner, Self.owners[random.below(4)]])
    case 3: return .keys([number, number + 1, number + 5])
    case 4: return .priorityAbove(number)
    case 5: return .ownerAbove(owner, number)
    case 6: return .ownerOrPriority(owner, number)
    case 7: return .others(owner)
    case 8: return .tagged(owner)
    case 9: return .untagged
    case 10: return .heavy(number)
    case 11: return .projectNamed(Self.names[random.below(3)])
    case 12: return .withProject
    case 13: return .withoutProject
    case 14: return .value(number)
    case 15: return .withoutValue
    case 16: return .deep(owner)
    case 17: return .allProjects
    case 18: return .projects(named: Self.names[random.below(3)])
    case 19: return .urgentProjects(number)
    case 20: return .extra(owner)
    default: return .extra(nil)
    }
  }

  private func changeConnection(_ index: Int) async throws {
    if isConnected[index] {
      try await devices[index].disconnect()
      isConnected[index] = false
    } else {
      try await connect(index)
    }
  }

  private func connect(_ index: Int) async throws {
    try await devices[index].connect(server, token: token)
    isConnected[index] = true
  }

  /// The server dies, and comes back.
  private func restart() async throws {
    server.kill()
    for index in devices.indices where isConnected[index] {
      try await devices[index].disconnect()
      isConnected[index] = false
    }
    try await witness.disconnect()
    try await server.start()
    try await witness.connect(server, token: token)
    for index in devices.indices where random.below(3) > 0 { try await connect(index) }
  }

  /// The program of a device has a property more.
  private func grow(_ index: Int) async throws {
    if isGrown[index] { return }
    isGrown[index] = true
    if isConnected[index] { try await devices[index].disconnect() }
    try await devices[index].onLoop { $0.growClasses() }
    try await connect(index)
  }

  /// More than a connection keeps in mind.
  private func writeMany(_ index: Int) async throws {
    let first = bulk
    bulk += 300
    let owner = Self.owners[random.below(4)]
    try await devices[index].write { core in
      for key in first..<first + 300 { core.addTask(key, title: "many", owner: owner) }
    }
  }

  // MARK: Checking

  /// Waits until all is sent, and compares.
  private func check() async throws -> String? {
    for index in devices.indices where !isConnected[index] { try await connect(index) }
    for device in devices { try await device.waitForUpload() }
    markers += 1
    let title = "marker \(markers)"
    try await witness.write { core in
      let id = core.task(Self.markerKey)
      if !core.exists(id) { core.create(id, now: Device.now) }
      core.set("title", .string(Text(title)), id)
    }
    try await witness.waitForUpload()
    let all = try await witness.read { ViewWorld($0) }
    for (index, device) in devices.enumerated() {
      let wanted = all.selected(by: queries[index])
      do {
        try await device.wait("its view", seconds: 20) { core, _ in ViewWorld(core) == wanted }
      } catch is Device.WaitedInVain {
        let found = try await device.read { ViewWorld($0) }
        return "\(queries[index]) has, and should have:\n\(found.difference(to: wanted))"
      }
    }
    return nil
  }
}

extension ClientCore where Storage == MemoryClientStorage {
  /// What a program might do.
  fileprivate mutating func changeSomething(_ random: inout Seeded) {
    if random.below(5) == 0 { return changeProject(&random) }
    let key = Int64(random.below(14)) + 1
    let id = task(key)
    let owner = ["a", "b", "c", "d"][random.below(4)]
    guard exists(id) else { return addTask(key, title: "t", owner: owner) }
    let number = CellValue.int(Int64(random.below(6)))
    switch random.below(12) {
    case 0, 1: delete(id, now: Device.now)
    case 2, 3: set("owner", .string(Text(owner)), id)
    case 4, 5: set("priority", number, id)
    case 6: set("title", .string(Text("t\(random.below(100))")), id)
    case 7: changeTags(of: id, owner, &random)
    case 8:
      let target = project(Text(["p", "q", "r"][random.below(3)]))
      set("project", random.below(4) == 0 ? .null : .link(target), id)
    case 9: addPart(to: id, number)
    case 10: changeValue(of: id, owner, number, &random)
    default:
      guard name("extra") != .none else { return }
      set("extra", random.below(3) == 0 ? .null : .string(Text(owner)), id)
    }
  }

  private mutating func changeProject(_ random: inout Seeded) {
    let id = project(Text(["p", "q", "r"][random.below(3)]))
    let name = CellValue.string(Text(["", "x", "y"][random.below(3)]))
    if !exists(id) {
      create(id, now: Device.now)
      if random.below(2) == 0 { set("name", name, id) }
    } else if random.below(3) == 0 {
      delete(id, now: Device.now)
    } else {
      set("name", name, id)
    }
  }

  private mutating func changeTags(of id: ObjectID, _ tag: String, _ random: inout Seeded) {
    let tags = collection("tags")
    let count = storage.items(of: tags, in: id).count
    if count > 0, random.below(2) == 0 {
      removeItem(random.below(count), of: tags, in: id, now: Device.now)
    } else {
      insert(.string(Text(tag)), at: 0, of: tags, in: id, now: Device.now)
    }
  }

  private mutating func addPart(to id: ObjectID, _ weight: CellValue) {
    let before = Set(storage.state(of: id)!.containerKinds.keys)
    insert(.object(name("Part")), at: 0, of: collection("parts"), in: id, now: Device.now)
    let made = storage.state(of: id)!.containerKinds.first {
      !before.contains($0.key) && $0.value == .object(name("Part"))
    }!.key
    set(.property(name("weight")), of: made, in: id, to: weight, now: Device.now)
  }

  private mutating func changeValue(
    of id: ObjectID, _ text: String, _ number: CellValue, _ random: inout Seeded
  ) {
    switch random.below(4) {
    case 0: set("value", .null, id)
    case 1: set("value", number, id)
    case 2: set("value", .string(Text(text)), id)
    default:
      set("value", .list, id)
      let list = storage.state(of: id)!.containerKinds.first {
        $0.value == .list && !$0.key.isDeclared
      }!.key
      insert(.string(Text(text)), at: 0, of: list, in: id, now: Device.now)
    }
  }
}

/// Numbers that follow from a seed (SplitMix64).
struct Seeded {
  fileprivate var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
