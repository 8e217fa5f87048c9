import Foundation
import RealmSwift
import SyncModels
import SyncServerKit
import Synchronization
import Testing

@MainActor
@Suite("what the server does not go along with", .serialized, .timeLimit(.minutes(2)))
struct ResetTests {
  @Test("another history of the server leaves what was written, and the callbacks are called")
  func reset() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    let counts = Mutex<(before: Int, after: Int)?>(nil)
    let sync = user.flexibleSyncConfiguration(
      clientResetMode: .recoverUnsyncedChanges(afterReset: { before, after in
        let found = (before.objects(Dog.self).count, after.objects(Dog.self).count)
        counts.withLock { $0 = found }
      }),
      initialSubscriptions: { $0.append(QuerySubscription<Dog>(name: "all")) })
    var configuration = device.configuration
    configuration.syncConfiguration = sync.syncConfiguration
    let realm = try await Realm(configuration: configuration)
    try realm.write { realm.add(Dog(name: "Rex")) }
    let session = try #require(realm.syncSession)
    try await session.wait(for: .upload)
    session.suspend()
    try realm.write { realm.add(Dog(name: "unsent")) }
    try server.startNewEpoch()
    session.resume()
    try await session.wait(for: .upload)
    try await session.wait(for: .download)
    #expect(Set(realm.objects(Dog.self).map(\.name)) == ["Rex", "unsent"])
    #expect(counts.withLock { $0?.before } == 2)
    #expect(counts.withLock { $0?.after } == 2)
  }

  @Test("another history discards what was not sent, if that is wanted, between the callbacks")
  func discarding() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    let calls = Mutex<[[Int]]>([])
    let sync = user.flexibleSyncConfiguration(
      clientResetMode: .discardUnsyncedChanges(
        beforeReset: { before in
          let live = try? Realm(configuration: before.configuration).objects(Dog.self).count
          let counts = [before.objects(Dog.self).count, live ?? -1]
          calls.withLock { $0.append(counts) }
        },
        afterReset: { before, after in
          let counts = [before.objects(Dog.self).count, after.objects(Dog.self).count]
          calls.withLock { $0.append(counts) }
        }),
      initialSubscriptions: { $0.append(QuerySubscription<Dog>(name: "all")) })
    var configuration = device.configuration
    configuration.syncConfiguration = sync.syncConfiguration
    let realm = try await Realm(configuration: configuration)
    let rex = Dog(value: ["name": "Rex", "age": 3, "nicknames": ["a", "b"]])
    let gone = Dog(name: "deleted here")
    try realm.write {
      realm.add(rex)
      realm.add(gone)
    }
    let session = try #require(realm.syncSession)
    try await session.wait(for: .upload)
    session.suspend()
    try realm.write {
      realm.add(Dog(name: "unsent"))
      rex.age = 4
      rex.nicknames.remove(at: 0)
      rex.nicknames.append("c")
      rex.scores["ball"] = 1
      rex.collar = Collar(value: ["color": "red"])
      realm.delete(gone)
    }
    try server.startNewEpoch()
    session.resume()
    try await session.wait(for: .download)
    realm.refresh()
    #expect(Set(realm.objects(Dog.self).map(\.name)) == ["Rex", "deleted here"])
    #expect(!rex.isInvalidated && rex.age == 3 && Array(rex.nicknames) == ["a", "b"])
    #expect(rex.scores.isEmpty && rex.collar == nil)
    #expect(calls.withLock { $0 } == [[2, 2], [2, 2]])
    try realm.write { rex.age = 5 }
    try await session.wait(for: .upload)
  }

  @Test("new classes and a restored backup at once: the server gets back what it lacks")
  func newClassesAndBackup() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let (device, other) = (Device(user), Device(user))
    defer {
      device.remove()
      other.remove()
    }
    let realm = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
    let backup = try server.makeBackup()
    try realm.write { realm.add(Dog(name: "Rex")) }
    try await #require(realm.syncSession).wait(for: .upload)
    try server.restore(backup)
    var configuration = device.configuration
    configuration.objectTypes = [Dog.self, Collar.self, Bark.self]
    let larger = try await Realm(configuration: configuration)
    #expect(larger.schema.objectSchema.map(\.className).contains("Bark"))
    try server.comeBack()
    let session = try #require(larger.syncSession)
    session.reconnect()
    try await session.wait(for: .download)
    try await session.wait(for: .upload)
    larger.refresh()
    #expect(larger.objects(Dog.self).count == 1)
    let witness = try await Realm(configuration: other.configuration, downloadBeforeOpen: .always)
    #expect(witness.objects(Dog.self).map(\.name) == ["Rex"])
  }

  @Test("classes that come in the middle of a reset are synchronised, too")
  func newClassesInReset() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let (device, other) = (Device(user), Device(user))
    defer {
      device.remove()
      other.remove()
    }
    let everything: @Sendable (SyncSubscriptionSet) -> Void = {
      $0.append(QuerySubscription<Dog>(name: "dogs"))
      $0.append(QuerySubscription<Meow>(name: "meows"))
    }
    let types: [ObjectBase.Type] = [Dog.self, Collar.self, Bark.self, Meow.self]
    var configuration = device.configuration
    configuration.syncConfiguration =
      user.flexibleSyncConfiguration(
        clientResetMode: .recoverUnsyncedChanges(beforeReset: { before in
          var larger = before.configuration
          larger.objectTypes = types
          let realm = try? Realm(configuration: larger)
          _ = try? realm?.write { realm?.create(Meow.self, value: ["loudness": 3]) }
        }), initialSubscriptions: { $0.append(QuerySubscription<Dog>(name: "dogs")) }
      ).syncConfiguration
    let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
    let session = try #require(realm.syncSession)
    session.suspend()
    configuration.objectTypes = [Dog.self, Collar.self, Bark.self]
    let larger = try await Realm(configuration: configuration)
    try larger.write { larger.add(Dog(name: "Rex")) }
    try server.startNewEpoch()
    session.resume()
    try await session.wait(for: .upload)
    var copy = other.configuration
    copy.objectTypes = types
    copy.syncConfiguration =
      user.flexibleSyncConfiguration(initialSubscriptions: everything).syncConfiguration
    let witness = try await Realm(configuration: copy, downloadBeforeOpen: .always)
    #expect(witness.objects(Meow.self).map(\.loudness) == [3])
  }

  @Test("a reset that is interrupted goes on, and the callbacks are called once")
  func interrupted() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    let calls = Mutex<[[Int]]>([])
    let (ended, more) = AsyncStream<Void>.makeStream()
    let sync = user.flexibleSyncConfiguration(
      clientResetMode: .recoverUnsyncedChanges(
        beforeReset: { before in
          let counts = [before.objects(Dog.self).where { $0.age == 2 }.count]
          calls.withLock { $0.append(counts) }
        },
        afterReset: { before, after in
          let counts = [before, after].map { $0.objects(Dog.self).where { $0.age == 2 }.count }
          calls.withLock { $0.append(counts) }
          more.yield()
        }),
      initialSubscriptions: { $0.append(QuerySubscription<Dog>(name: "all")) })
    var configuration = device.configuration
    configuration.syncConfiguration = sync.syncConfiguration
    let realm = try await Realm(configuration: configuration)
    let (dogs, session) = try await uploadDogs(in: realm)
    let backup = try server.makeBackup()
    try realm.write { for dog in dogs { dog.age = 3 } }
    try await session.wait(for: .upload)
    try server.restore(backup)
    try server.cutDownload(afterSlices: 3)
    try server.comeBack()
    for await _ in ended.prefix(1) {}
    #expect(calls.withLock { $0 } == [[0], [0, 40]])
  }

  @Test("a list that was emptied since a backup is the same everywhere after it is restored")
  func emptiedList() async throws {
    try await TwoDevices.with { two in
      let left = try await Realm(configuration: two.left.configuration)
      let session = try #require(left.syncSession)
      let dog = Dog(value: ["name": "Rex", "nicknames": ["a"], "scores": ["b": 1]])
      dog.friends.insert(dog)
      try left.write { left.add(dog) }
      try await session.wait(for: .upload)
      let backup = try two.server.makeBackup()
      try left.write {
        dog.nicknames.removeAll()
        dog.friends.removeAll()
        dog.scores.removeAll()
      }
      try await session.wait(for: .upload)
      try two.server.restore(backup)
      try two.server.comeBack()
      try await session.wait(for: .download)
      try left.write { dog.nicknames.append("c") }
      try await session.wait(for: .upload)
      let right = try await Realm(
        configuration: two.right.configuration, downloadBeforeOpen: .always)
      let other = try #require(right.objects(Dog.self).first)
      #expect(Array(dog.nicknames) == ["c"] && Array(other.nicknames) == ["c"])
      // What was removed without its collection may come back.
      #expect(dog.friends.count == other.friends.count)
      #expect(dog.scores.count == other.scores.count)
    }
  }

  /// Forty of an age of 2, more than goes in one slice.
  private func uploadDogs(in realm: Realm) async throws -> (dogs: [Dog], session: SyncSession) {
    let name = String(repeating: "x", count: 1 << 20)
    let dogs = try realm.write {
      (0..<40).map { realm.create(Dog.self, value: ["name": "\(name)\($0)", "age": 2]) }
    }
    let session = try #require(realm.syncSession)
    try await session.wait(for: .upload)
    return (dogs, session)
  }

  @Test("a reset that discards, and is interrupted, keeps what is written while it is under way")
  func interruptedDiscard() async throws {
    try await TwoDevices.with { two in
      let (begun, begins) = AsyncStream<Void>.makeStream()
      let (ended, ends) = AsyncStream<Void>.makeStream()
      var configuration = two.left.configuration
      configuration.syncConfiguration =
        two.user.flexibleSyncConfiguration(
          clientResetMode: .discardUnsyncedChanges(
            beforeReset: { _ in begins.yield() }, afterReset: { _, _ in ends.yield() }),
          initialSubscriptions: { $0.append(QuerySubscription<Dog>(name: "all")) }
        ).syncConfiguration
      let realm = try await Realm(configuration: configuration)
      let (dogs, session) = try await uploadDogs(in: realm)
      session.suspend()
      try realm.write { for dog in dogs { dog.age = 9 } }
      try two.server.startNewEpoch()
      try two.server.stallDownload(afterSlices: 2)
      session.resume()
      for await _ in begun.prefix(1) {}
      try two.server.refuseConnections(with: .unavailable)
      try two.server.endConnections()
      for await state in session.connectionStates where state == .disconnected { break }
      session.suspend()
      try realm.write { realm.add(Dog(name: "during", age: 3)) }
      try two.server.takeConnections()
      session.resume()
      for await _ in ended.prefix(1) {}
      try await session.wait(for: .upload)
      let witness = try await Realm(
        configuration: two.right.configuration, downloadBeforeOpen: .always)
      let ages = witness.objects(Dog.self).map(\.age).sorted()
      #expect(ages == Array(repeating: 2, count: 40) + [3])
    }
  }

  @Test("a write that is not allowed is undone, and the error handler is called")
  func refused() async throws {
    let server = try TestServer()
    let app = makeApp(server)
    let user = try await app.login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    let (errors, more) = AsyncStream<any Error>.makeStream()
    app.syncManager.errorHandler = { error, session in
      #expect(session != nil)
      more.yield(error)
    }
    let realm = try await Realm(configuration: device.configuration)
    let dog = try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    try await #require(realm.syncSession).wait(for: .upload)
    try realm.write { dog.name = "forbidden" }
    for await error in errors {
      let refused = (error as? SyncError)?.compensatingWriteInfo
      #expect((error as? SyncError)?.code == .writeRejected)
      #expect(refused?.map(\.objectType) == ["Dog"])
      #expect(refused?.first?.primaryKey.objectIdValue == dog._id)
      break
    }
    #expect(await waits(realm) { _ in dog.name == "Rex" })
  }

  @Test("an asymmetric object reaches the server, and does not stay")
  func asymmetric() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    var configuration = device.configuration
    configuration.objectTypes = [Dog.self, Collar.self, Bark.self]
    let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
    let before = try server.version
    try realm.write { realm.create(Bark.self, value: ["loudness": 11]) }
    #expect(realm.dynamicObjects("Bark").count == 1)
    try await #require(realm.syncSession).wait(for: .upload)
    #expect(try server.version > before)
    #expect(await waits(realm) { $0.dynamicObjects("Bark").isEmpty })
  }

  @Test("a class without a primary key cannot be synchronised")
  func withoutKey() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    var configuration = device.configuration
    configuration.objectTypes = [Keyless.self]
    let error = await #expect(throws: Realm.Error.self) {
      _ = try await Realm(configuration: configuration)
    }
    #expect(error?.code == .schemaMismatch)
  }

  @Test("a copy of a synced file is a local one, and can be synchronised as a file of its own")
  func copies() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let (device, copy) = (Device(user), Device(user))
    defer {
      device.remove()
      copy.remove()
    }
    let realm = try await Realm(configuration: device.configuration)
    try realm.write { realm.add(Dog(name: "Rex")) }
    try await #require(realm.syncSession).wait(for: .upload)
    var local = copy.configuration
    local.syncConfiguration = nil
    try realm.writeCopy(configuration: local)
    try autoreleasepool {
      let copied = try Realm(configuration: local)
      #expect(copied.syncSession == nil && copied.objects(Dog.self).count == 1)
      try copied.write { copied.objects(Dog.self).first?.age = 5 }
    }
    let second = try await Realm(configuration: copy.configuration, downloadBeforeOpen: .always)
    #expect(second.objects(Dog.self).count == 1)
    #expect(await waits(realm) { $0.objects(Dog.self).first?.age == 5 })
  }

  @Test("a file that was local becomes a synced one with all that is in it")
  func fromLocal() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let (local, other) = (Device(user), Device(user))
    defer {
      local.remove()
      other.remove()
    }
    try autoreleasepool {
      var configuration = local.configuration
      configuration.syncConfiguration = nil
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.add(Dog(value: ["name": "Rex", "nicknames": ["a", "b"]])) }
    }
    let realm = try await Realm(configuration: local.configuration)
    try await #require(realm.syncSession).wait(for: .upload)
    let witness = try await Realm(configuration: other.configuration, downloadBeforeOpen: .always)
    #expect(witness.objects(Dog.self).first.map { Array($0.nicknames) } == ["a", "b"])
  }
}

final class Keyless: Object {
  @Persisted var name = ""
}
