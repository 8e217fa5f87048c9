import Foundation
import RealmSwift
import SyncModels
import Testing

/// A class as the first version of an app has it.
final class FirstCrate: Object {
  @Persisted(primaryKey: true) var _id = ""
  @Persisted var label = ""
  @Persisted var weight: Int?
  @Persisted var places: List<Int>
  @Persisted var weights: Map<String, Int>
  @Persisted var next: FirstCrate?

  override static func _realmObjectName() -> String { "Crate" }
}

/// The same class in a version that has other names for its properties than the file.
final class RenamedCrate: Object {
  @Persisted(primaryKey: true) var _id = ""
  @Persisted var title = ""
  @Persisted var mass: Int?
  @Persisted var spots: List<Int>
  @Persisted var masses: Map<String, Int>
  @Persisted var follower: RenamedCrate?

  override static func _realmObjectName() -> String { "Crate" }
  override static func propertiesMapping() -> [String: String] {
    [
      "title": "label", "mass": "weight", "spots": "places", "masses": "weights",
      "follower": "next",
    ]
  }
}

/// The same class in a version in which elements may be null and what was a link is a number.
final class RetypedCrate: Object {
  @Persisted(primaryKey: true) var _id = ""
  @Persisted var label = ""
  @Persisted var weight: Int?
  @Persisted var places: List<Int?>
  @Persisted var weights: Map<String, Int>
  @Persisted var next = 0

  override static func _realmObjectName() -> String { "Crate" }
}

/// The same class in a version in which another property is the key.
final class RekeyedCrate: Object {
  @Persisted var _id = ""
  @Persisted(primaryKey: true) var label = ""
  @Persisted var weight: Int?
  @Persisted var places: List<Int>
  @Persisted var weights: Map<String, Int>
  @Persisted var next: RekeyedCrate?

  override static func _realmObjectName() -> String { "Crate" }
}

/// The same class in a version in which the key may be nil.
final class NamelessCrate: Object {
  @Persisted(primaryKey: true) var _id: String?
  @Persisted var label = ""
  @Persisted var weight: Int?
  @Persisted var places: List<Int>
  @Persisted var weights: Map<String, Int>
  @Persisted var next: NamelessCrate?

  override static func _realmObjectName() -> String { "Crate" }
}

/// The same class in a version in which the key is of another type.
final class NumberedCrate: Object {
  @Persisted(primaryKey: true) var _id = 0
  @Persisted var label = ""
  @Persisted var weight: Int?
  @Persisted var places: List<Int>
  @Persisted var weights: Map<String, Int>
  @Persisted var next: NumberedCrate?

  override static func _realmObjectName() -> String { "Crate" }
}

@Suite("a synced file that is migrated", .timeLimit(.minutes(2))) @MainActor
struct MigratedFileTests {
  private func open<T: Object>(
    _ type: T.Type, version: UInt64, label: String? = nil, _ device: Device, _ user: User,
    migration: MigrationBlock? = nil
  ) async throws -> Realm {
    var configuration = user.flexibleSyncConfiguration {
      guard $0.first(named: "crates") == nil else { return }
      if let label {
        $0.append(QuerySubscription<T>(name: "crates", where: "label == %@", label))
      } else {
        $0.append(QuerySubscription<T>(name: "crates"))
      }
    }
    configuration.fileURL = device.configuration.fileURL
    configuration.objectTypes = [type]
    configuration.schemaVersion = version
    configuration.migrationBlock = migration
    return try await Realm(configuration: configuration)
  }

  private func text(_ realm: Realm) -> [String] {
    realm.objects(RenamedCrate.self).sorted(by: \._id).map { crate in
      let masses = crate.masses.keys.sorted().map { "\($0): \(crate.masses[$0] ?? -1)" }
      return "\(crate._id) \(crate.title) \(crate.mass ?? -1) \(Array(crate.spots)) \(masses) "
        + (crate.follower?._id ?? "nil")
    }
  }

  @Test("keeps its keys, with lists that wait to be sent, and says so")
  func rekeyed() async throws {
    try await TwoDevices.with { two in
      @MainActor func make() async throws {
        let realm = try await open(FirstCrate.self, version: 0, two.left, two.user)
        let session = try #require(realm.syncSession)
        try realm.write {
          realm.add(FirstCrate(value: ["_id": "a", "label": "1", "places": [1, 2, 3]]))
        }
        try await session.wait(for: .upload)
        session.suspend()
        try realm.write {
          let crate = try #require(realm.object(ofType: FirstCrate.self, forPrimaryKey: "a"))
          crate.places.append(4)
          crate.places.remove(at: 0)
        }
      }
      try await make()
      for version in [0, 1] as [UInt64] {
        await #expect {
          _ = try await open(RekeyedCrate.self, version: version, two.left, two.user)
        } throws: { "\($0)".contains("primary keys of a synchronized file") }
        await #expect {
          _ = try await open(NumberedCrate.self, version: version, two.left, two.user)
        } throws: { "\($0)".contains("primary keys of a synchronized file") }
        await #expect {
          _ = try await open(NamelessCrate.self, version: version, two.left, two.user)
        } throws: { "\($0)".contains("primary keys of a synchronized file") }
      }
      await #expect {
        _ = try await open(FirstCrate.self, version: 1, two.left, two.user) { migration, _ in
          migration.enumerateObjects(ofType: "Crate") { _, crate in crate?["_id"] = "b" }
        }
      } throws: { "\($0)".contains("sets 'Crate._id' of") }
      let left = try await open(FirstCrate.self, version: 0, two.left, two.user)
      left.syncSession?.resume()
      try await #require(left.syncSession).wait(for: .upload)
      let right = try await open(FirstCrate.self, version: 0, two.right, two.user)
      #expect(
        await waits(right) {
          $0.object(ofType: FirstCrate.self, forPrimaryKey: "a").map { Array($0.places) }
            == [2, 3, 4]
        })
    }
  }

  @Test("goes on with other names in the program, with what was sent and what was not")
  func renamed() async throws {
    try await TwoDevices.with { two in
      @MainActor func make() async throws {
        let realm = try await open(FirstCrate.self, version: 0, two.left, two.user)
        let session = try #require(realm.syncSession)
        try realm.write {
          let first = FirstCrate(
            value: ["_id": "a", "label": "first", "weight": 3, "places": [1, 2, 3]])
          realm.add(first)
          first.weights["x"] = 7
          let second = FirstCrate(value: ["_id": "b", "label": "second", "places": [9]])
          realm.add(second)
          second.next = first
        }
        try await session.wait(for: .upload)
        session.suspend()
        try realm.write {
          let first = try #require(realm.object(ofType: FirstCrate.self, forPrimaryKey: "a"))
          first.label = "renamed"
          first.places.append(4)
          first.places.remove(at: 0)
        }
      }
      let expected = [
        #"a renamed 3 [2, 3, 4] ["x: 7"] nil"#, #"b second -1 [9] [] a"#,
      ]
      try await make()
      let left = try await open(RenamedCrate.self, version: 1, two.left, two.user)
      #expect(text(left) == expected)
      left.syncSession?.resume()
      try await #require(left.syncSession).wait(for: .upload)
      try await #require(left.syncSession).wait(for: .download)
      #expect(text(left) == expected)
      let right = try await open(RenamedCrate.self, version: 1, two.right, two.user)
      #expect(await waits(right) { text($0) == expected })
      // Both can go on writing there.
      try right.write {
        let first = try #require(right.object(ofType: RenamedCrate.self, forPrimaryKey: "a"))
        first.spots.insert(5, at: 1)
        first.title = "again"
      }
      #expect(await waits(left) { text($0) == text(right) })
      try left.write { left.objects(RenamedCrate.self).sorted(by: \._id)[0].spots.remove(at: 0) }
      #expect(await waits(right) { text($0).first == #"a again 3 [5, 3, 4] ["x: 7"] nil"# })
    }
  }

  @Test("goes on where elements could be null in between, and where a link led out of view")
  func retyped() async throws {
    try await TwoDevices.with { two in
      @MainActor func fill() async throws {
        let realm = try await open(FirstCrate.self, version: 0, two.right, two.user)
        try realm.write {
          let far = FirstCrate(value: ["_id": "far", "label": "far"])
          realm.add(far)
          let near = FirstCrate(value: ["_id": "near", "label": "near", "places": [1, 2, 3]])
          realm.add(near)
          near.next = far
        }
        try await #require(realm.syncSession).wait(for: .upload)
      }
      @MainActor func receive() async throws {
        let realm = try await open(
          FirstCrate.self, version: 0, label: "near", two.left, two.user)
        #expect(await waits(realm) { $0.objects(FirstCrate.self).count == 1 })
        #expect(realm.objects(FirstCrate.self).first?.next == nil)
      }
      @MainActor func retype() async throws {
        let realm = try await open(RetypedCrate.self, version: 1, two.left, two.user)
        let near = try #require(realm.objects(RetypedCrate.self).first)
        // What the server has of it may have come already, beside what became another list's.
        #expect(Set(near.places) == [1, 2, 3])
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
          subscriptions.first(named: "crates")?.updateQuery(toType: RetypedCrate.self)
        }
        try realm.write { near.label = "near, retyped" }
        #expect(await waits(realm) { $0.objects(RetypedCrate.self).count == 2 })
        #expect(near.next == 0)
      }
      try await fill()
      try await receive()
      try await retype()
      let realm = try await open(FirstCrate.self, version: 2, two.left, two.user)
      try await #require(realm.syncSession).wait(for: .upload)
      try await #require(realm.syncSession).wait(for: .download)
      let near = try #require(realm.object(ofType: FirstCrate.self, forPrimaryKey: "near"))
      #expect(await waits(realm) { _ in near.next?._id == "far" })
      let other = try await open(FirstCrate.self, version: 0, two.right, two.user)
      let same = try #require(other.object(ofType: FirstCrate.self, forPrimaryKey: "near"))
      try realm.write { near.places.append(4) }
      // What became other lists is in there as if it had been put in.
      #expect(
        await waits(other) { _ in
          same.label == "near, retyped" && Set(same.places) == [1, 2, 3, 4]
            && Array(same.places) == Array(near.places)
        })
    }
  }
}
