import Foundation
import RealmSwift
import SyncModels
import SyncServerKit
import Testing

@MainActor
@Suite("subscriptions", .serialized) struct SubscriptionTests {
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
}
