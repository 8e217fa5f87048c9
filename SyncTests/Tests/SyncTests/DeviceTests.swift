import Foundation
import RealmSwift
import SyncModels
import SyncServerKit
import Synchronization
import Testing

@MainActor
@Suite("two devices", .serialized, .timeLimit(.minutes(2))) struct DeviceTests {
  @Test("see what the other one writes")
  func converge() async throws {
    try await TwoDevices.with { devices in
      let one = try await Realm(configuration: devices.left.configuration)
      let two = try await Realm(configuration: devices.right.configuration)
      try one.write {
        let rex = Dog(name: "Rex", age: 3)
        rex.nicknames.append(objectsIn: ["R", "Rexy"])
        rex.scores["jump"] = 7
        rex.collar = Collar(value: ["color": "red"])
        one.add(rex)
      }
      #expect(await waits(two) { $0.objects(Dog.self).count == 1 })
      let dog = try #require(two.objects(Dog.self).first)
      #expect(dog.name == "Rex" && dog.age == 3 && Array(dog.nicknames) == ["R", "Rexy"])
      #expect(dog.scores["jump"] == 7 && dog.collar?.color == "red")
      try two.write {
        dog.age = 4
        dog.nicknames.append("King")
        dog.collar?.color = "blue"
        two.add(Dog(value: ["name": "Pup", "mother": dog]))
      }
      #expect(
        await waits(one) {
          $0.objects(Dog.self).count == 2 && $0.objects(Dog.self).first?.age == 4
        })
      let pup = try #require(one.objects(Dog.self).where { $0.name == "Pup" }.first)
      #expect(pup.mother?.name == "Rex" && pup.mother?.collar?.color == "blue")
      #expect(pup.mother.map { Array($0.nicknames) } == ["R", "Rexy", "King"])
    }
  }

  @Test("end with the same after one was out of reach")
  func offline() async throws {
    try await TwoDevices.with { devices in
      let one = try await Realm(configuration: devices.left.configuration)
      let two = try await Realm(configuration: devices.right.configuration)
      let rex = try one.write { one.create(Dog.self, value: ["name": "Rex"]) }
      #expect(await waits(two) { $0.objects(Dog.self).count == 1 })
      try #require(two.syncSession).suspend()
      try two.write {
        two.objects(Dog.self).first?.age = 9
        two.objects(Dog.self).first?.nicknames.append("two")
      }
      try one.write {
        rex.name = "King"
        rex.nicknames.append("one")
      }
      try await #require(one.syncSession).wait(for: .upload)
      #expect(two.objects(Dog.self).first?.name == "Rex")
      #expect(two.syncSession?.state == .inactive)
      try #require(two.syncSession).resume()
      #expect(await waits(two) { $0.objects(Dog.self).first?.name == "King" })
      #expect(await waits(one) { $0.objects(Dog.self).first?.age == 9 })
      #expect(
        await waits(one) {
          Array($0.objects(Dog.self).first!.nicknames)
            == two.objects(Dog.self).first.map { Array($0.nicknames) }
        })
      #expect(rex.nicknames.count == 2)
    }
  }

  @Test("rest while their user is logged out, and go on when it has logged in again")
  func loggedOut() async throws {
    let server = try TestServer()
    let app = makeApp(server)
    let credentials = Credentials.emailPassword(email: "a@b.c", password: "secret")
    try await app.emailPasswordAuth.registerUser(email: "a@b.c", password: "secret")
    let user = try await app.login(credentials: credentials)
    let device = Device(user)
    defer { device.remove() }
    let realm = try await Realm(configuration: device.configuration, downloadBeforeOpen: .always)
    let session = try #require(realm.syncSession)
    #expect(session.state == .active)
    try await user.logOut()
    for await state in session.connectionStates where state == .disconnected { break }
    #expect(session.state == .invalid)
    try realm.write { realm.add(Dog(name: "Rex")) }
    #expect(try await app.login(credentials: credentials) === user)
    try await session.wait(for: .upload)
    #expect(session.state == .active)
  }

  @Test("open in the background with what the server has")
  func asyncOpen() async throws {
    try await TwoDevices.with { devices in
      let source = try await Realm(configuration: devices.left.configuration)
      try source.write { source.add(Dog(name: "Rex")) }
      try await #require(source.syncSession).wait(for: .upload)
      let count = try await withCheckedThrowingContinuation { continuation in
        Realm.asyncOpen(configuration: devices.right.configuration) { result in
          continuation.resume(with: result.map { $0.objects(Dog.self).count })
        }
      }
      #expect(count == 1)
    }
  }

  @Test("go on when the server comes back, and when their tokens have run out")
  func serverGone() async throws {
    try await OneDevice.with { one in
      try one.server.goAway()
      try one.realm.write { one.realm.add(Dog(name: "Alone")) }
      try one.server.forgetTokens()
      try one.server.comeBack()
      one.session.reconnect()
      try await one.session.wait(for: .upload)
      #expect(try one.server.version > 0)
      #expect(one.session.connectionState == .connected)
    }
  }

  @Test("get a new token by themselves when theirs has run out while the server was out of reach")
  func tokenRanOutMeanwhile() async throws {
    try await OneDevice.with { one in
      // One at least has failed when the server is there again, and none is asked for.
      try one.server.goAway()
      for await state in one.session.connectionStates where state == .disconnected { break }
      try one.realm.write { one.realm.add(Dog(name: "Alone")) }
      try one.server.forgetTokens()
      try one.server.comeBack()
      try await one.session.wait(for: .upload)
      #expect(try one.server.version > 0)
      #expect(one.session.connectionState == .connected)
    }
  }

  @Test("say how much of a long upload is done, which goes in many batches")
  func uploadProgress() async throws {
    try await OneDevice.with { one in
      one.session.suspend()
      let before = try one.server.version
      for age in 0..<40 {
        try one.realm.write {
          one.realm.add(Dog(name: String(repeating: "x", count: 40_000), age: age))
        }
      }
      let estimates = Mutex<[Double]>([])
      let token = one.session.addProgressNotification(for: .upload, mode: .reportIndefinitely) {
        progress in estimates.withLock { $0.append(progress.progressEstimate) }
      }
      one.session.resume()
      try await one.session.wait(for: .upload)
      token?.invalidate()
      #expect(try one.server.version >= before + 3)
      #expect(Set(estimates.withLock { $0 }.filter { $0 > 0 && $0 < 1 }).count >= 2)
    }
  }
}
