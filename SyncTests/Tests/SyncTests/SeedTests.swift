import Foundation
import RealmSwift
import SyncModels
import SyncServerKit
import Testing

/// Belongs to a partition.
final class Plot: Object {
  @Persisted(primaryKey: true) var _id = ""
  @Persisted var _partition = ""
}

/// Files that new devices begin with.
@MainActor
struct SeedTests {
  /// A device with two dogs that the server has, and the file beside it that others begin with.
  @MainActor private struct Origin {
    let server: TestServer
    let app: App
    let device: Device
    let realm: Realm
    let kept: ObjectId
    let deleted: ObjectId

    /// Where to put a file that others begin with.
    var beside: URL { device.configuration.fileURL!.appendingPathExtension("seed") }

    init() async throws {
      server = try TestServer()
      app = makeApp(server)
      device = Device(try await app.login(credentials: .anonymous))
      realm = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
      let rex = Dog(value: ["name": "Rex", "nicknames": ["a", "b"], "collar": ["color": "red"]])
      let gone = Dog(name: "Gone")
      rex.friends.insert(gone)
      rex.scores["speed"] = 3
      (kept, deleted) = (rex._id, gone._id)
      try realm.write {
        realm.add(rex)
        realm.add(gone)
      }
      try await #require(realm.syncSession).wait(for: .upload)
      try await #require(realm.syncSession).wait(for: .download)
    }

    func makeSeed() throws -> URL {
      var configuration = device.configuration
      configuration.fileURL = beside
      try realm.writeCopy(configuration: configuration)
      return beside
    }

    /// What happens after a seed was made.
    func goOn() async throws {
      try realm.write {
        realm.delete(realm.object(ofType: Dog.self, forPrimaryKey: deleted)!)
        let dog = realm.object(ofType: Dog.self, forPrimaryKey: kept)!
        dog.age = 7
        dog.nicknames.append("c")
        dog.collar?.color = "blue"
        realm.add(Dog(name: "New"))
      }
      try await #require(realm.syncSession).wait(for: .upload)
    }
  }

  /// Another device, of another user, that begins with a file.
  private func beginner(_ origin: Origin, with seed: URL) async throws -> Device {
    let app = App(
      id: origin.app.appId, configuration: AppConfiguration(baseURL: origin.server.url))
    return Device(try await app.login(credentials: .anonymous), seed: seed)
  }

  /// Makes a seed the file of a device, and lends a configuration without sync for it.
  private func putSeed(of origin: Origin, at device: Device) throws -> Realm.Configuration {
    var local = device.configuration
    local.syncConfiguration = nil
    let file = try #require(local.fileURL)
    try FileManager.default.moveItem(at: try origin.makeSeed(), to: file)
    return local
  }

  /// Opens a realm at once, with what is in the file.
  private func open(_ configuration: Realm.Configuration) throws -> Realm {
    try Realm(configuration: configuration)
  }

  private func text(_ realm: Realm) -> [String] {
    realm.objects(Dog.self).sorted(by: \.name).map { dog in
      "\(dog.name) \(dog.age) \(Array(dog.nicknames).sorted()) \(dog.friends.count) "
        + "\(dog.scores["speed"] ?? 0) \(dog.collar?.color ?? "none")"
    }
  }

  private let atFirst = ["Gone 0 [] 0 0 none", #"Rex 0 ["a", "b"] 1 3 red"#]

  /// Lets a device begin with a file, write before it knows what has happened, and be synchronised.
  private func begin(_ device: Device, _ origin: Origin, nickname: String) async throws -> Realm {
    let realm = try open(device.configuration)
    #expect(text(realm) == atFirst)
    try realm.write {
      realm.object(ofType: Dog.self, forPrimaryKey: origin.kept)!.nicknames.append(nickname)
    }
    let dog = realm.object(ofType: Dog.self, forPrimaryKey: origin.kept)
    try await #require(realm.syncSession).wait(for: .upload)
    try await #require(realm.syncSession).wait(for: .download)
    // It was there all the time.
    #expect(dog?.isInvalidated == false)
    return realm
  }

  /// All have what the first device has written since, and what each has added.
  private func expectAllIsOne(_ realms: [Realm], nicknames: [String]) async throws {
    let expected = ["New 0 [] 0 0 none", "Rex 7 \(nicknames) 0 3 blue"]
    for realm in realms {
      #expect(await waits(realm) { text($0) == expected }, "\(text(realm))")
    }
    let orders = realms.map { $0.objects(Dog.self).where { $0.name == "Rex" }.first?.nicknames }
    #expect(Set(orders.map { $0.map { Array($0) } }).count == 1)
  }

  @Test("devices that begin with a copy have its objects at once, and bring nothing back")
  func beginsWithCopy() async throws {
    let origin = try await Origin()
    let seed = try origin.makeSeed()
    try await origin.goOn()
    let devices = try await [beginner(origin, with: seed), beginner(origin, with: seed)]
    defer { for device in devices + [origin.device] { device.remove() } }
    var realms = [origin.realm]
    for (device, nickname) in zip(devices, ["x", "y"]) {
      realms.append(try await begin(device, origin, nickname: nickname))
    }
    try await expectAllIsOne(realms, nicknames: ["a", "b", "c", "x", "y"])
  }

  @Test("devices that begin with the file of another one are not that one, and bring nothing back")
  func beginsWithFile() async throws {
    let origin = try await Origin()
    let seed = origin.beside
    let file = try #require(origin.device.configuration.fileURL)
    try FileManager.default.copyItem(at: file, to: seed)
    try await origin.goOn()
    let device = try await beginner(origin, with: seed)
    defer { for device in [device, origin.device] { device.remove() } }
    let realm = try await begin(device, origin, nickname: "x")
    try await expectAllIsOne([origin.realm, realm], nicknames: ["a", "b", "c", "x"])
  }

  @Test("a file that devices begin with stays as it is, also behind a symbolic link")
  func seedStays() async throws {
    let origin = try await Origin()
    let seed = try origin.makeSeed()
    let before = try Data(contentsOf: seed)
    let link = origin.beside.appendingPathExtension("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: seed)
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: seed.path)
    try await origin.goOn()
    let device = try await beginner(origin, with: link)
    defer { for device in [device, origin.device] { device.remove() } }
    let realm = try await begin(device, origin, nickname: "x")
    try await expectAllIsOne([origin.realm, realm], nicknames: ["a", "b", "c", "x"])
    #expect(try Data(contentsOf: seed) == before)
    let file = try #require(device.configuration.fileURL)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: file.deletingLastPathComponent().path)
    #expect(Set(names) == [file.lastPathComponent, file.lastPathComponent + ".lock"])
  }

  @Test("a copy for other devices begins with the subscriptions of the file it was made of")
  func subscriptions() async throws {
    let origin = try await Origin()
    let device = try await beginner(origin, with: try origin.makeSeed())
    defer { for device in [device, origin.device] { device.remove() } }
    let realm = try open(device.configuration)
    #expect(realm.subscriptions.count == 1 && realm.subscriptions.first(named: "all") != nil)
    try await #require(realm.syncSession).wait(for: .download)
    #expect(realm.subscriptions.state == .complete)
  }

  @Test("another server gets of what a device began with only what it has written to")
  func anotherServer() async throws {
    let origin = try await Origin()
    let seed = try origin.makeSeed()
    let server = try TestServer(epoch: 1000)
    let user = try await makeApp(server).login(credentials: .anonymous)
    let (device, other) = (Device(user, seed: seed), Device(user))
    defer { for device in [device, other, origin.device] { device.remove() } }
    let realm = try open(device.configuration)
    #expect(text(realm) == atFirst)
    try realm.write {
      realm.add(Dog(name: "Own"))
      realm.object(ofType: Dog.self, forPrimaryKey: origin.kept)?.age = 9
    }
    let second = try await Realm(configuration: other.configuration)
    let expected = ["Own 0 [] 0 0 none", #"Rex 9 ["a", "b"] 0 3 red"#]
    for realm in [realm, second] {
      #expect(await waits(realm) { text($0) == expected }, "\(text(realm))")
    }
  }

  @Test("what is not uploaded is not copied for other devices, and not begun with")
  func notUploaded() async throws {
    let origin = try await Origin()
    defer { origin.device.remove() }
    try #require(origin.realm.syncSession).suspend()
    try origin.realm.write { origin.realm.add(Dog(name: "Unsent")) }
    let error = #expect(throws: Realm.Error.self) { try origin.makeSeed() }
    #expect(error?.code == .invalidInput)
    #expect(!FileManager.default.fileExists(atPath: origin.beside.path))
    try FileManager.default.copyItem(
      at: try #require(origin.device.configuration.fileURL), to: origin.beside)
    let device = try await beginner(origin, with: origin.beside)
    defer { device.remove() }
    let refused = #expect(throws: Realm.Error.self) {
      try open(device.configuration)
    }
    #expect(refused?.code == .invalidInput)
    #expect(refused?.localizedDescription.contains(origin.beside.path) == true)
    #expect(!Realm.fileExists(for: device.configuration))
  }

  @Test("what is written to a copy for other devices before it is synchronised is sent")
  func writtenBefore() async throws {
    let origin = try await Origin()
    let device = Device(try await origin.app.login(credentials: .anonymous))
    defer { for device in [device, origin.device] { device.remove() } }
    let local = try putSeed(of: origin, at: device)
    try autoreleasepool {
      let realm = try Realm(configuration: local)
      try realm.write {
        let dog = realm.object(ofType: Dog.self, forPrimaryKey: origin.kept)
        dog?.nicknames.insert("x", at: 0)
        dog?.collar = Collar(value: ["color": "green"])
      }
    }
    let realm = try open(device.configuration)
    try await #require(realm.syncSession).wait(for: .upload)
    for realm in [origin.realm, realm] {
      #expect(
        await waits(realm) { text($0).last == #"Rex 0 ["a", "b", "x"] 1 3 green"# },
        "\(text(realm))")
    }
  }

  @Test("a copy for other devices that is open can be synchronised then")
  func openBefore() async throws {
    let origin = try await Origin()
    let device = Device(try await origin.app.login(credentials: .anonymous))
    defer { for device in [device, origin.device] { device.remove() } }
    let local = try putSeed(of: origin, at: device)
    let before = try open(local)
    let realm = try open(device.configuration)
    try before.write { before.objects(Dog.self).first { $0._id == origin.kept }?.age = 3 }
    try await #require(realm.syncSession).wait(for: .upload)
    #expect(
      await waits(origin.realm) { realm in
        realm.object(ofType: Dog.self, forPrimaryKey: origin.kept)?.age == 3
      })
  }

  @Test("a copy for other devices of another schema version is still nobody's")
  func otherVersion() async throws {
    let origin = try await Origin()
    var configuration = origin.device.configuration
    configuration.fileURL = origin.beside
    configuration.schemaVersion = 2
    try origin.realm.writeCopy(configuration: configuration)
    let device = try await beginner(origin, with: origin.beside)
    defer { for device in [device, origin.device] { device.remove() } }
    var migrated = device.configuration
    migrated.schemaVersion = 2
    #expect(text(try open(migrated)) == atFirst)
  }

  @Test("a file of a partition that begins with that of another one sees its own")
  func partitions() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let (first, second) = (Device(user), Device(user))
    defer { for device in [first, second] { device.remove() } }
    func configuration(_ device: Device, _ partition: String) -> Realm.Configuration {
      var configuration = user.configuration(partitionValue: partition)
      configuration.fileURL = device.configuration.fileURL
      configuration.objectTypes = [Plot.self]
      return configuration
    }
    let realm = try await Realm(
      configuration: configuration(first, "a"), downloadBeforeOpen: .always)
    try realm.write { realm.create(Plot.self, value: ["_id": "of a", "_partition": "a"]) }
    try await #require(realm.syncSession).wait(for: .upload)
    var seeded = configuration(first, "a")
    seeded.fileURL = seeded.fileURL?.appendingPathExtension("seed")
    try realm.writeCopy(configuration: seeded)
    var other = configuration(second, "b")
    other.seedFilePath = seeded.fileURL
    let own = try open(other)
    try own.write { own.create(Plot.self, value: ["_id": "of b", "_partition": "b"]) }
    try await #require(own.syncSession).wait(for: .upload)
    #expect(await waits(own) { Array($0.objects(Plot.self)).map(\._id) == ["of b"] })
  }

  @Test("a local realm that begins with a synchronised file is a local one")
  func localFromSynced() async throws {
    let origin = try await Origin()
    defer { origin.device.remove() }
    var local = origin.device.configuration
    local.syncConfiguration = nil
    local.seedFilePath = try origin.makeSeed()
    local.fileURL = origin.beside.appendingPathExtension("local")
    let realm = try open(local)
    #expect(realm.syncSession == nil && text(realm) == atFirst)
    try realm.write { realm.add(Dog(name: "Own")) }
    #expect(realm.objects(Dog.self).count == 3)
  }
}
