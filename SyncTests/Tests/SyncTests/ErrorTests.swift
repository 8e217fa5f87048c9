import Dispatch
import RealmSwift
import SyncModels
import SyncServerKit
import Testing

@MainActor
@Suite("the error handler", .serialized, .timeLimit(.minutes(1))) struct ErrorTests {
  @Test("is told of each write that is refused, however fast they come")
  func eachRefusedWrite() async throws {
    try await OneDevice.with { one in
      let errors = errors(of: one.app)
      let dogs = try one.realm.write {
        (0..<10).map { one.realm.create(Dog.self, value: ["name": "Dog \($0)"]) }
      }
      try await one.session.wait(for: .upload)
      for dog in dogs {
        try one.realm.write { dog.name = "forbidden" }
        try? await one.session.wait(for: .upload)
      }
      var missing = Set(dogs.map(\._id))
      let ids = missing
      for await error in errors {
        let objects = (error as? SyncError)?.compensatingWriteInfo ?? []
        for id in objects.compactMap(\.primaryKey.objectIdValue) { missing.remove(id) }
        #expect(objects.allSatisfy { $0.primaryKey.objectIdValue.map(ids.contains) == true })
        if missing.isEmpty { break }
      }
    }
  }

  @Test("is not told of what was before it")
  func setLater() async throws {
    try await OneDevice.with { one in
      let (rex, pup) = try one.realm.write {
        (one.realm.create(Dog.self, value: ["name": "Rex"]), one.realm.create(Dog.self))
      }
      try await one.session.wait(for: .upload)
      try one.realm.write { rex.name = "forbidden" }
      #expect(await waits(one.realm) { _ in rex.name == "Rex" })
      let errors = errors(of: one.app)
      // A handler that would be told of it would be so by the next write.
      try one.server.delay(milliseconds: 100)
      try one.realm.write { rex.age = 3 }
      try await one.session.wait(for: .upload)
      try one.realm.write { pup.name = "forbidden" }
      for await error in errors.prefix(1) {
        let objects = (error as? SyncError)?.compensatingWriteInfo
        #expect(objects?.map(\.primaryKey.objectIdValue) == [pup._id])
      }
    }
  }

  @Test("is told of a class that the server does not take")
  func classSetAside() async throws {
    let server = try TestServer()
    let app = makeApp(server)
    let user = try await app.login(credentials: .anonymous)
    let (device, other) = (Device(user), Device(user))
    defer {
      device.remove()
      other.remove()
    }
    _ = try await Realm(configuration: other.configuration, downloadBeforeOpen: .always)
    try server.closeSchema()
    let errors = errors(of: app)
    var configuration = device.configuration
    configuration.objectTypes = [Dog.self, Collar.self, Bark.self]
    let realm = try await Realm(configuration: configuration)
    for await error in errors.prefix(1) {
      #expect((error as? SyncError)?.code == .serverWarning)
      #expect(error.localizedDescription.contains("'Bark'"))
    }
    #expect(realm.syncSession?.state == .active)
  }

  @Test("may take its time: what the program observes goes on being told of changes")
  func slowHandler() async throws {
    try await OneDevice.with { one in
      let rex = try one.realm.write { one.realm.create(Dog.self, value: ["name": "Rex"]) }
      try await one.session.wait(for: .upload)
      let (handled, more) = AsyncStream<Void>.makeStream()
      let mayReturn = DispatchSemaphore(value: 0)
      one.app.syncManager.errorHandler = { _, _ in
        more.yield()
        mayReturn.wait()
      }
      defer { mayReturn.signal() }
      try one.realm.write { rex.name = "forbidden" }
      for await _ in handled.prefix(1) {}
      let (counts, counted) = AsyncStream<Int>.makeStream()
      let token = one.realm.objects(Dog.self).observe { _ in
        counted.yield(one.realm.objects(Dog.self).count)
      }
      defer { token.invalidate() }
      for await _ in counts.prefix(1) {}
      // More than a turn looks at: what has changed is found in the background.
      try one.realm.write { for age in 0..<1_500 { one.realm.add(Dog(name: "another", age: age)) } }
      for await count in counts where count > 1_500 { break }
    }
  }
}
