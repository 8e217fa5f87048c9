import Foundation
import RealmSwift
import SyncModels
import Testing

/// Has collections within an embedded object.
final class Farm: Object {
  @Persisted(primaryKey: true) var _id = ""
  @Persisted var size = 0
  @Persisted var numbers: List<Int>
  @Persisted var photo: Data?
  @Persisted var yard: Yard?
}

final class Yard: EmbeddedObject {
  @Persisted var collars: List<Collar>
  @Persisted var collarsByName: Map<String, Collar?>
}

@Suite("one object that two devices write to", .timeLimit(.minutes(2))) @MainActor
struct FarmTests {
  /// Two devices that have the same farm.
  private func withFarms(
    _ body: @MainActor (_ left: Realm, _ right: Realm) async throws -> Void
  ) async throws {
    try await TwoDevices.with { two in
      @MainActor func open(_ device: Device) async throws -> Realm {
        var configuration = device.configuration
        configuration.objectTypes = [Farm.self, Yard.self, Collar.self]
        configuration.syncConfiguration =
          two.user.flexibleSyncConfiguration(
            initialSubscriptions: { $0.append(QuerySubscription<Farm>(name: "farms")) }
          ).syncConfiguration
        return try await Realm(configuration: configuration, downloadBeforeOpen: .always)
      }
      let left = try await open(two.left)
      try left.write {
        let farm = left.create(Farm.self, value: ["_id": "a"])
        let yard = Yard()
        yard.collars.append(Collar(value: ["color": "red"]))
        yard.collarsByName["red"] = Collar(value: ["color": "red"])
        farm.yard = yard
      }
      try await #require(left.syncSession).wait(for: .upload)
      try await body(left, try await open(two.right))
    }
  }

  @Test(
    "keeps what one wrote beside an embedded object that the other has taken away",
    arguments: [true, false])
  func removedOwner(isList: Bool) async throws {
    try await withFarms { left, right in
      let session = try #require(left.syncSession)
      let farm = try #require(left.objects(Farm.self).first)
      session.suspend()
      let same = try #require(right.objects(Farm.self).first)
      try right.write { same.yard = nil }
      try await #require(right.syncSession).wait(for: .upload)
      try left.write {
        farm.size = 4
        farm.numbers.append(objectsIn: [1, 2])
        if isList {
          farm.yard?.collars.removeAll()
        } else {
          farm.yard?.collarsByName.removeAll()
        }
      }
      try left.write {
        let blue = Collar(value: ["color": "blue"])
        if isList {
          farm.yard?.collars.append(blue)
        } else {
          farm.yard?.collarsByName["blue"] = blue
        }
      }
      session.resume()
      try await session.wait(for: .upload)
      #expect(await waits(right) { _ in same.size == 4 && Array(same.numbers) == [1, 2] })
      #expect(await waits(left) { _ in farm.yard == nil })
      #expect(farm.size == 4 && Array(farm.numbers) == [1, 2])
    }
  }

  @Test("has a value of 17 MiB, and one that is too large is refused alone")
  func largeValues() async throws {
    try await withFarms { left, right in
      let session = try #require(left.syncSession)
      let farm = try #require(left.objects(Farm.self).first)
      let same = try #require(right.objects(Farm.self).first)
      try left.write { farm.photo = Data(repeating: 1, count: 17 << 20) }
      try await session.wait(for: .upload)
      #expect(await waits(right) { _ in same.photo?.count == 17 << 20 })
      try left.write {
        _ = left.create(
          Farm.self, value: ["_id": "b", "photo": Data(repeating: 2, count: 25 << 20)])
      }
      try left.write { farm.size = 5 }
      #expect(await waits(right) { _ in same.size == 5 })
      #expect(await waits(left) { $0.object(ofType: Farm.self, forPrimaryKey: "b") == nil })
      #expect(right.objects(Farm.self).count == 1)
    }
  }
}
