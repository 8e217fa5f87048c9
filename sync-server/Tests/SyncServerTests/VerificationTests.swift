import Foundation
import ServerKit
import SyncProtocol
import Testing

@testable import SyncServer

/// What clients may write is no damage, however odd it is.
@Suite struct VerificationTests {
  private static let classes = [
    SchemaClass(
      name: "Odd",
      properties: [
        "_id": PropertyType(.int, .single), "any": PropertyType(.any, .single),
        "doubles": PropertyType(.double, .set), "floats": PropertyType(.float, .set),
        "decimals": PropertyType(.decimal, .set), "dates": PropertyType(.date, .set),
        "strings": PropertyType(.string, .set), "anys": PropertyType(.any, .set),
        "anyList": PropertyType(.any, .list),
        "links": PropertyType(.link, .map, isOptional: true, target: "Odd"),
        "part": PropertyType(.object, .single, isOptional: true, target: "Nested"),
      ]),
    SchemaClass(
      name: "Nested", isEmbedded: true,
      properties: [
        "x": PropertyType(.int, .single),
        "part": PropertyType(.object, .single, isOptional: true, target: "Nested"),
      ]),
  ]

  /// An app's core on a file, and one client whose batches it takes.
  private final class Bench {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("odd-\(UUID().uuidString)")
    var core: ServerCore<AppStorage>
    let client = ClientID(7)
    private var batch: UInt64 = 0
    private var time: UInt64 = Device.now << 16
    var path: String { folder.path + "/data.realm" }

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      core = try ServerCore(
        storage: AppStorage(path: folder.path + "/data.realm"), isSchemaOpen: true)
      _ = core.addClasses(VerificationTests.classes)
      try core.bind(
        client, user: "me", cursor: .zero, query: 0, epoch: 0, batches: [], now: Device.now)
      try core.flush()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func name(_ text: Text) -> NameID { core.head.names.find(text) ?? .none }

    func stamp() -> Stamp {
      time += 1
      return Stamp(time: time, client: client)
    }

    /// Uploads a new object, or that it is deleted, and says whether it was taken.
    func upload(
      _ key: Int64, _ containers: [ContainerChange], generation: UInt64 = 1
    ) throws -> Bool {
      batch += 1
      let id = ObjectID(type: name("Odd"), key: .int(key))
      var change = ObjectChange(id: id, generation: Generation(generation))
      change.life =
        change.generation.isAlive
        ? LifeChange(creation: stamp())
        : LifeChange(
          creation: nil, deleted: DeletedGeneration(Generation(1), heard: core.head.version))
      change.containers = containers
      let names = core.head.names
      let upload = UploadBatch(number: batch, cursor: .zero, objects: [change])
      let received = try UploadBatch.decode(upload.encoded(names: names), names: names)
      #expect(try core.upload(received, from: client, now: Device.now) == .merged)
      try core.flush()
      return core.files[client]?.refusedObjects(in: batch).isEmpty == true
    }

    func set(_ property: Text, _ members: [CellValue]) -> ContainerChange {
      var change = ContainerChange(id: ContainerID(declaredBy: name(property), in: .root))
      change.registers = members.map {
        RegisterChange(slot: .member($0), stamp: CellStamp(stamp()), value: $0)
      }
      return change
    }

    func property(_ property: Text, _ value: CellValue, of id: ContainerID) -> ContainerChange {
      var change = ContainerChange(id: id)
      change.registers = [
        RegisterChange(slot: .property(name(property)), stamp: CellStamp(stamp()), value: value)
      ]
      return change
    }

    var findings: [String] { get throws { try AppStorage.check(path: path).findings } }
  }

  @Test func membersThatTheFileTakesForOneAreNoDamage() throws {
    let bench = try Bench()
    #expect(
      try bench.upload(
        1,
        [
          bench.set("dates", (0..<5).map { .date(1 << 40, UInt32($0)) }),
          bench.set("strings", [.string("a"), .string("b")]),
          bench.set("anys", [.int(1), .double((1.5).bitPattern), .bool(true), .string("1")]),
        ].sorted { $0.id < $1.id }))
    #expect(try bench.findings == [])
  }

  /// Members of sets: the simplest, and others that equal it.
  static let equals: [(set: Text, simplest: CellValue, others: [CellValue])] = [
    (
      "doubles", .double(0x7FF8_0000_0000_0000),
      [.double(0x7FF8_0000_0000_0001), .double(0xFFF8_0000_0000_0000)]
    ),
    ("doubles", .double(0), [.double(1 << 63)]),
    ("floats", .float(0x7FC0_0000), [.float(0x7FC0_0001)]),
    ("floats", .float(0), [.float(1 << 31)]),
    (
      "decimals", .decimal(0x3040_0000_0000_0000, 1),
      [.decimal(0x303E_0000_0000_0000, 10), .decimal(0x3038_0000_0000_0000, 10_000)]
    ),
    ("decimals", .decimal(0x303E_0000_0000_0000, 15), [.decimal(0x303C_0000_0000_0000, 150)]),
    ("decimals", .decimal(0x7C00_0000_0000_0000, 0), [.decimal(0x7C00_0000_0000_0000, 5)]),
    (
      "anys", .int(1),
      [.double((1.0).bitPattern), .float(Float(1).bitPattern), .decimal(0x3040_0000_0000_0000, 1)]
    ),
    ("anys", .double((1.5).bitPattern), [.decimal(0x303E_0000_0000_0000, 15)]),
  ]

  @Test func aMemberIsNamedByTheSimplestOfItsEquals() throws {
    let bench = try Bench()
    var key: Int64 = 0
    func isTaken(_ set: Text, _ member: CellValue) throws -> Bool {
      key += 1
      return try bench.upload(key, [bench.set(set, [member])])
    }
    for (set, simplest, others) in Self.equals {
      #expect(try isTaken(set, simplest), "\(simplest) in \(set)")
      for other in others { #expect(try !isTaken(set, other), "\(other) in \(set)") }
    }
    #expect(try bench.findings == [])
  }

  @Test func embeddedObjectsAreAsDeepAsOneLikes() throws {
    let bench = try Bench()
    var containers = [bench.property("part", .object(bench.name("Nested")), of: .root)]
    for _ in 0..<100 {
      let made = containers.last!.registers[0].made
      containers.append(bench.property("part", .object(bench.name("Nested")), of: made))
    }
    #expect(try bench.upload(1, containers))
    #expect(try bench.findings == [])
  }

  @Test func embeddedObjectsAreNoValuesOfAnyKind() throws {
    let bench = try Bench()
    let embedded = bench.property("any", .object(bench.name("Nested")), of: .root)
    #expect(try !bench.upload(1, [embedded]))
    #expect(try bench.upload(2, [bench.property("any", .list, of: .root)]))
    #expect(try bench.findings == [])
  }

  @Test func linksToWhatIsNotThereAreNoDamage() throws {
    let bench = try Bench()
    var change = ContainerChange(
      id: ContainerID(declaredBy: bench.name("anyList"), in: .root))
    let nobody = ObjectID(type: bench.name("Odd"), key: .int(77))
    for value in [CellValue.int(1), .link(nobody), .int(2)] {
      let stamp = bench.stamp()
      let element = ElementID(client: stamp.client, number: stamp.time)
      change.placements.append(
        Placement(
          name: PlaceName(element: element, stamp: stamp), left: nil,
          authorship: Authorship(
            right: nil, ownLeft: nil, ownRight: nil, cursor: .zero, isNew: true)))
      change.registers.append(
        RegisterChange(slot: .item(element), stamp: CellStamp(stamp), value: value))
    }
    #expect(try bench.upload(1, [change]))
    #expect(try bench.findings == [])
  }

  @Test func keysOfMapsWhoseLinksLeadNowhereAreNoDamage() throws {
    let bench = try Bench()
    var change = ContainerChange(id: ContainerID(declaredBy: bench.name("links"), in: .root))
    for (key, target) in [("gone", Int64(2)), ("never there", 77)] as [(Text, Int64)] {
      change.registers.append(
        RegisterChange(
          slot: .key(key), stamp: CellStamp(bench.stamp()),
          value: .link(ObjectID(type: bench.name("Odd"), key: .int(target)))))
    }
    #expect(try bench.upload(2, []))
    #expect(try bench.upload(1, [change]))
    #expect(try bench.findings == [])
    #expect(try bench.upload(2, [], generation: 2))
    #expect(try bench.findings == [])
  }
}
