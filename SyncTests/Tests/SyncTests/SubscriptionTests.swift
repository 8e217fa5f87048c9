import Foundation
import RealmSwift
import SyncModels
import SyncServerKit
import Synchronization
import Testing

@MainActor
@Suite("subscriptions", .serialized, .timeLimit(.minutes(1))) struct SubscriptionTests {
  @Test("bring what they select, and take it away again")
  func select() async throws {
    try await TwoDevices.with(rightSubscriptions: { _ in }) { devices in
      let source = try await Realm(configuration: devices.left.configuration)
      try source.write { for name in ["Rex", "Pup"] { source.add(Dog(name: name)) } }
      try await #require(source.syncSession).wait(for: .upload)
      let realm = try await Realm(configuration: devices.right.configuration)
      let subscriptions = realm.subscriptions
      #expect(subscriptions.count == 0)
      try await subscriptions.update {
        subscriptions.append(QuerySubscription<Dog>(name: "rex") { $0.name == "Rex" })
      }
      #expect(subscriptions.state == .complete && subscriptions.first?.name == "rex")
      #expect(await waits(realm) { $0.objects(Dog.self).map(\.name) == ["Rex"] })
      let pups = try await realm.objects(Dog.self).where { $0.name == "Pup" }.subscribe(
        name: "pups")
      #expect(await waits(realm) { _ in pups.count == 1 })
      try await subscriptions.update { subscriptions.removeAll() }
      #expect(await waits(realm) { $0.objects(Dog.self).isEmpty })
      #expect(source.objects(Dog.self).count == 2)
    }
  }

  @Test("that the server cannot take say so")
  func refused() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user, initialSubscriptions: { _ in })
    defer { device.remove() }
    let realm = try await Realm(configuration: device.configuration)
    let subscriptions = realm.subscriptions
    let error = await #expect(throws: SyncError.self) {
      try await subscriptions.update {
        subscriptions.append(QuerySubscription<Dog> { $0.age > 3 })
      }
    }
    #expect(error?.code == .invalidFlexibleSyncSubscriptions)
    #expect(subscriptions.error != nil)
  }

  @Test("are there before the realm is, if that is asked for")
  func downloadBeforeOpen() async throws {
    try await TwoDevices.with { devices in
      let source = try await Realm(configuration: devices.left.configuration)
      try source.write { for age in 0..<500 { source.add(Dog(name: "Dog", age: age)) } }
      try await #require(source.syncSession).wait(for: .upload)
      let realm = try await Realm(
        configuration: devices.right.configuration, downloadBeforeOpen: .always)
      #expect(realm.objects(Dog.self).count == 500)
    }
  }

  @Test("wanted anew at each opening are made once by it")
  func rerunOnOpen() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    // Several times: whether the file is closed between the download and the opening is a matter
    // of time.
    for _ in 0..<8 {
      let device = Device(user)
      defer { device.remove() }
      let calls = Mutex(0)
      var configuration = device.configuration
      configuration.syncConfiguration =
        user.flexibleSyncConfiguration(
          initialSubscriptions: { set in
            calls.withLock { $0 += 1 }
            set.append(QuerySubscription<Dog>())
          }, rerunOnOpen: true
        ).syncConfiguration
      let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
      #expect(calls.withLock { $0 } == 1 && realm.subscriptions.state == .complete)
    }
  }

  @Test("of a partition have the classes that the program gets later")
  func partition() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    var configuration = device.configuration
    configuration.syncConfiguration = user.configuration(partitionValue: "x").syncConfiguration
    do {
      let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
      try realm.write { realm.add(Dog(name: "Rex")) }
      try await #require(realm.syncSession).wait(for: .upload)
    }
    configuration.objectTypes = [Dog.self, Collar.self, Meow.self]
    let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
    try realm.write { realm.create(Meow.self, value: ["loudness": 3]) }
    let session = try #require(realm.syncSession)
    try await session.wait(for: .upload)
    try await session.wait(for: .download)
    realm.refresh()
    #expect(realm.objects(Dog.self).count == 1 && realm.objects(Meow.self).count == 1)
  }

  @Test("bring classes that come one after the other while there is a connection")
  func newClasses() async throws {
    let everything: @Sendable (SyncSubscriptionSet) -> Void = {
      $0.append(QuerySubscription<Dog>(name: "dogs"))
      $0.append(QuerySubscription<Meow>(name: "meows"))
    }
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user, initialSubscriptions: everything)
    let other = Device(user, initialSubscriptions: everything)
    defer {
      device.remove()
      other.remove()
    }
    var configuration = device.configuration
    // The session keeps the file open, and the connection.
    let session = try #require(
      try await Realm(configuration: configuration, downloadBeforeOpen: .always).syncSession)
    let connections = try server.connections()
    for type in [Bark.self, Meow.self] as [ObjectBase.Type] {
      configuration.objectTypes?.append(type)
      _ = try await Realm(configuration: configuration)
      for await _ in connections.prefix(1) {}
      try await session.wait(for: .download)
    }
    let realm = try await Realm(configuration: configuration)
    try realm.write { realm.create(Meow.self, value: ["loudness": 3]) }
    try await session.wait(for: .upload)
    var copy = other.configuration
    copy.objectTypes = configuration.objectTypes
    let witness = try await Realm(configuration: copy, downloadBeforeOpen: .always)
    #expect(witness.objects(Meow.self).map(\.loudness) == [3])
    #expect(realm.objects(Meow.self).count == 1)
  }

  @Test("that are too many or too long are not stored, and say so")
  func tooMany() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user, initialSubscriptions: { _ in })
    defer { device.remove() }
    let realm = try await Realm(configuration: device.configuration)
    let subscriptions = realm.subscriptions
    func append(_ count: Int, name: String) async throws {
      try await subscriptions.update {
        for number in 0..<count {
          subscriptions.append(
            QuerySubscription<Dog>(name: "\(number)") { $0.name == "\(name)\(number)" })
        }
      }
    }
    for (count, length) in [(1_001, 1), (1, 20_000), (200, 9_000)] {
      let error = await #expect(throws: SyncError.self) {
        try await append(count, name: String(repeating: "x", count: length))
      }
      #expect(error?.code == .invalidFlexibleSyncSubscriptions)
      #expect(subscriptions.count == 0)
    }
    try await append(1_000, name: "x")
    #expect(subscriptions.state == .complete && subscriptions.count == 1_000)
  }

  @Test("cannot be updated in a write transaction, and say so")
  func updateInWrite() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let device = Device(user)
    defer { device.remove() }
    let realm = try await Realm(configuration: device.configuration)
    let subscriptions = realm.subscriptions
    realm.beginWrite()
    let error = await #expect(throws: Realm.Error.self) {
      try await subscriptions.update { subscriptions.removeAll() }
    }
    #expect(error?.localizedDescription.contains("within a write transaction") == true)
    try realm.commitWrite()
    try await subscriptions.update { subscriptions.removeAll() }
    #expect(subscriptions.count == 0)
  }

  @Test("end the program that changes them in a write transaction, or writes in an update")
  func misuse() async throws {
    await #expect(processExitsWith: .failure) {
      try await TwoDevices.withLeftRealm { realm in
        try realm.write { realm.subscriptions.update { realm.subscriptions.removeAll() } }
      }
    }
    await #expect(processExitsWith: .failure) {
      try await TwoDevices.withLeftRealm { realm in
        realm.subscriptions.update { realm.subscriptions.update {} }
      }
    }
    await #expect(processExitsWith: .failure) {
      try await TwoDevices.withLeftRealm { realm in
        realm.subscriptions.update { try? realm.write {} }
      }
    }
  }
}

/// A class that programs get later.
final class Meow: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var loudness = 0
}
