import RealmSwift
import SyncModels
import SyncServerKit
import Testing

@MainActor
@Suite("waits", .serialized, .timeLimit(.minutes(1))) struct WaitingTests {
  @Test("for a download end while others write all the time")
  func downloadWhileOthersWrite() async throws {
    try await TwoDevices.with { devices in
      let one = try await Realm(configuration: devices.left.configuration)
      let two = try await Realm(
        configuration: devices.right.configuration, downloadBeforeOpen: .always)
      let session = try #require(two.syncSession)
      try devices.server.delay(milliseconds: 60)
      let batches = try devices.server.batches()
      let dog = try one.write { one.create(Dog.self, value: ["name": "Rex"]) }
      let (writes, writer) = writesOn(dog, after: batches)
      defer { writer.cancel() }
      for await _ in writes.prefix(5) {}
      let age = dog.age
      try await session.wait(for: .download)
      #expect(await waits(two) { ($0.objects(Dog.self).first?.age ?? 0) >= age })
    }
  }

  @Test("for an upload end while the program writes on")
  func uploadWhileWriting() async throws {
    try await OneDevice.with { one in
      try one.server.delay(milliseconds: 60)
      let batches = try one.server.batches()
      let dog = try one.realm.write { one.realm.create(Dog.self, value: ["name": "Rex"]) }
      let (writes, writer) = writesOn(dog, after: batches)
      defer { writer.cancel() }
      for await _ in writes.prefix(3) {}
      try await one.session.wait(for: .upload)
    }
  }

  @Test("for an upload are told each time that the server refuses one")
  func refusedUpload() async throws {
    try await OneDevice.with { one in
      let dog = try one.realm.write { one.realm.create(Dog.self, value: ["name": "Rex"]) }
      try await one.session.wait(for: .upload)
      // So that the wait has begun when the answer comes.
      try one.server.delay(milliseconds: 300)
      for _ in 0..<3 {
        try one.realm.write { dog.name = "forbidden" }
        let error = await #expect(throws: SyncError.self) {
          try await one.session.wait(for: .upload)
        }
        #expect(error?.code == .writeRejected)
      }
      #expect(await waits(one.realm) { _ in dog.name == "Rex" })
    }
  }

  @Test("for an upload are told of a class that the server does not take")
  func classSetAside() async throws {
    let server = try TestServer()
    let user = try await makeApp(server).login(credentials: .anonymous)
    let (device, other) = (Device(user), Device(user))
    defer {
      device.remove()
      other.remove()
    }
    _ = try await Realm(configuration: other.configuration, downloadBeforeOpen: .always)
    try server.closeSchema()
    var configuration = device.configuration
    configuration.objectTypes = [Dog.self, Collar.self, Bark.self]
    let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
    try realm.write { realm.create(Bark.self, value: ["loudness": 11]) }
    let session = try #require(realm.syncSession)
    let error = await #expect(throws: SyncError.self) {
      try await session.wait(for: .upload)
    }
    #expect(error?.code == .serverWarning)
    #expect(error?.localizedDescription.contains("'Bark'") == true)
  }

  @Test("have a download complete when all has come, and not before anything has")
  func progress() async throws {
    try await TwoDevices.with { devices in
      let source = try await Realm(configuration: devices.left.configuration)
      try source.write { for age in 0..<500 { source.add(Dog(name: "Dog", age: age)) } }
      try await #require(source.syncSession).wait(for: .upload)
      try devices.server.delay(milliseconds: 200)
      let configuration = devices.right.configuration
      let realm = try await Realm(configuration: configuration)
      let (counts, complete) = AsyncStream<Int>.makeStream()
      let token = try #require(realm.syncSession).addProgressNotification(
        for: .download, mode: .forCurrentlyOutstandingWork
      ) { progress in
        guard progress.isTransferComplete else { return }
        complete.yield((try? Realm(configuration: configuration).objects(Dog.self).count) ?? -1)
      }
      for await count in counts.prefix(1) { #expect(count == 500) }
      token?.invalidate()
    }
  }

  /// Changes the dog whenever the server has merged something and before its answer comes, so that
  /// there always is more to send, until the task is cancelled.
  private func writesOn(
    _ dog: Dog, after batches: AsyncStream<String>
  ) -> (writes: AsyncStream<Void>, Task<Void, any Error>) {
    let (writes, written) = AsyncStream<Void>.makeStream()
    let writer = Task {
      for await _ in batches {
        try dog.realm?.write { dog.age += 1 }
        written.yield()
      }
    }
    return (writes, writer)
  }
}
