import Foundation
import RealmSwift
import SyncModels
import Testing

/// Has what dogs have not: embedded objects in a list, and values of any kind.
final class Kennel: Object {
  @Persisted(primaryKey: true) var _id = ""
  @Persisted var collars: List<Collar>
  @Persisted var any: AnyRealmValue
  @Persisted var anyByName: Map<String, AnyRealmValue>
  @Persisted var byName: Map<String, Kennel?>
}

/// Only some devices know it.
final class Toy: Object {
  @Persisted(primaryKey: true) var _id = ""
}

@Suite("kinds of properties", .timeLimit(.minutes(2))) @MainActor struct KindTests {
  /// Two devices with other classes than dogs, opened.
  private func withKennels(
    left: [ObjectBase.Type], right: [ObjectBase.Type],
    _ body: @MainActor (_ left: Realm, _ right: Realm) async throws -> Void
  ) async throws {
    try await TwoDevices.with { two in
      @MainActor func open(
        _ device: Device, _ types: [ObjectBase.Type]
      ) async throws -> Realm {
        let hasToys = types.contains { $0 == Toy.self }
        var configuration = device.configuration
        configuration.objectTypes = types
        configuration.syncConfiguration =
          two.user.flexibleSyncConfiguration(
            initialSubscriptions: { subscriptions in
              subscriptions.append(QuerySubscription<Kennel>(name: "kennels"))
              if hasToys { subscriptions.append(QuerySubscription<Toy>(name: "toys")) }
            }
          ).syncConfiguration
        return try await Realm(configuration: configuration, downloadBeforeOpen: .always)
      }
      let leftRealm = try await open(two.left, left)
      try await body(leftRealm, try await open(two.right, right))
    }
  }

  @Test("keys of a map that only look the same have their own links")
  func similarKeys() async throws {
    let types: [ObjectBase.Type] = [Kennel.self, Collar.self]
    try await withKennels(left: types, right: types) { left, right in
      try left.write {
        let others = ["b", "c"].map { left.create(Kennel.self, value: ["_id": $0]) }
        let kennel = left.create(Kennel.self, value: ["_id": "a"])
        for (key, other) in zip(["\u{e9}", "e\u{301}"], others) { kennel.byName[key] = other }
      }
      #expect(
        await waits(right) { realm in
          guard let kennel = realm.object(ofType: Kennel.self, forPrimaryKey: "a") else {
            return false
          }
          return kennel.byName.values.compactMap { $0?._id }.sorted() == ["b", "c"]
        })
    }
  }

  @Test("a list of embedded objects that was cleared takes others from any device")
  func clearedList() async throws {
    let types: [ObjectBase.Type] = [Kennel.self, Collar.self]
    try await withKennels(left: types, right: types) { left, right in
      let session = try #require(left.syncSession)
      let kennel = try left.write { left.create(Kennel.self, value: ["_id": "a"]) }
      try await session.wait(for: .upload)
      try left.write { kennel.collars.removeAll() }
      try await session.wait(for: .upload)
      try left.write { kennel.collars.append(Collar(value: ["color": "red"])) }
      try await session.wait(for: .upload)
      #expect(await waits(right) { $0.objects(Kennel.self).first?.collars.first?.color == "red" })
      try right.write {
        right.objects(Kennel.self).first?.collars.append(Collar(value: ["color": "blue"]))
      }
      try await #require(right.syncSession).wait(for: .upload)
      #expect(await waits(left) { _ in kennel.collars.map(\.color) == ["red", "blue"] })
    }
  }

  @Test("what is written in the place of a link to what was deleted is sent")
  func valueAfterDeletedLink() async throws {
    let types: [ObjectBase.Type] = [Kennel.self, Collar.self]
    try await withKennels(left: types, right: types) { left, right in
      let session = try #require(left.syncSession)
      let kennel = try left.write {
        let other = left.create(Kennel.self, value: ["_id": "b"])
        return left.create(
          Kennel.self, value: ["_id": "a", "any": AnyRealmValue.object(other)])
      }
      try await session.wait(for: .upload)
      try left.write {
        left.delete(try #require(left.object(ofType: Kennel.self, forPrimaryKey: "b")))
      }
      try await session.wait(for: .upload)
      try left.write { kennel.any = .string("after") }
      try await session.wait(for: .upload)
      #expect(
        await waits(right) {
          $0.object(ofType: Kennel.self, forPrimaryKey: "a")?.any == .string("after")
        })
      try right.write { _ = right.create(Kennel.self, value: ["_id": "b"]) }
      try await #require(right.syncSession).wait(for: .upload)
      #expect(await waits(left) { $0.object(ofType: Kennel.self, forPrimaryKey: "b") != nil })
      #expect(kennel.any == .string("after"))
    }
  }

  @Test("a link that was set to null together with the deletion of its object stays null")
  func nullWithDeletion() async throws {
    let types: [ObjectBase.Type] = [Kennel.self, Collar.self]
    try await withKennels(left: types, right: types) { left, right in
      let session = try #require(left.syncSession)
      let (kennel, other) = try left.write {
        let other = left.create(Kennel.self, value: ["_id": "b"])
        let links: [String: Any] = ["_id": "a", "any": AnyRealmValue.object(other)]
        return (left.create(Kennel.self, value: links), other)
      }
      try await session.wait(for: .upload)
      #expect(
        await waits(right) {
          let there = $0.object(ofType: Kennel.self, forPrimaryKey: "a")
          return there?.any.object(Kennel.self)?._id == "b"
        })
      try left.write {
        kennel.any = .none
        left.delete(other)
      }
      try await session.wait(for: .upload)
      #expect(await waits(right) { $0.object(ofType: Kennel.self, forPrimaryKey: "b") == nil })
      try right.write { _ = right.create(Kennel.self, value: ["_id": "b"]) }
      try await #require(right.syncSession).wait(for: .upload)
      #expect(await waits(left) { $0.object(ofType: Kennel.self, forPrimaryKey: "b") != nil })
      #expect(kennel.any == .none)
      #expect(right.object(ofType: Kennel.self, forPrimaryKey: "a")?.any == AnyRealmValue.none)
    }
  }

  @Test("a link to an object whose class a device does not have is null there")
  func unknownClass() async throws {
    try await withKennels(
      left: [Kennel.self, Collar.self, Toy.self], right: [Kennel.self, Collar.self]
    ) { left, right in
      let kennel = try left.write {
        left.create(
          Kennel.self,
          value: [
            "_id": "a", "any": AnyRealmValue.string("before"),
            "anyByName": ["x": AnyRealmValue.int(1)],
          ])
      }
      #expect(await waits(right) { $0.objects(Kennel.self).first?.any == .string("before") })
      try left.write {
        let toy = left.create(Toy.self, value: ["_id": "ball"])
        kennel.any = .object(toy)
        kennel.anyByName["x"] = .object(toy)
      }
      #expect(
        await waits(right) {
          let there = $0.objects(Kennel.self).first
          return there?.any == AnyRealmValue.none && there?.anyByName["x"] == AnyRealmValue.none
        })
      let session = try #require(right.syncSession)
      try right.write { right.objects(Kennel.self).first?.collars.append(Collar()) }
      try await session.wait(for: .upload)
      #expect(await waits(left) { _ in kennel.collars.count == 1 })
      #expect(kennel.any.object(Toy.self)?._id == "ball")
    }
  }
}
