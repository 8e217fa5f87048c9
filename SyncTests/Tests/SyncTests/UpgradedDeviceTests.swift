import Foundation
import RealmSwift
import SyncModels
import Testing

/// A class as an earlier version of an app has it.
final class EarlierStable: Object {
  @Persisted(primaryKey: true) var _id = ""
  @Persisted var name = ""

  override static func _realmObjectName() -> String { "Stable" }
}

/// The same class as the present version has it.
final class Stable: Object {
  @Persisted(primaryKey: true) var _id = ""
  @Persisted var name = ""
  @Persisted var horses: List<String>
  @Persisted var sign: Collar?
  @Persisted var signs: List<Collar>
  @Persisted var byName: Map<String, Collar?>
  @Persisted var counts: Map<String, Int>
  @Persisted var tags: MutableSet<String>
  @Persisted var next: Stable?
  @Persisted var founded = Date(timeIntervalSince1970: 0)
}

/// A class with a property that is of another type in other versions of the app.
final class Shelf: Object {
  @Persisted(primaryKey: true) var _id = ""
  @Persisted var name = ""
  @Persisted var places: List<Int>
}

/// The version between two of those.
final class ShelfBetween: Object {
  @Persisted(primaryKey: true) var _id = ""
  @Persisted var name = ""
  @Persisted var places = 0

  override static func _realmObjectName() -> String { "Shelf" }
}

@Suite("a device that is upgraded", .timeLimit(.minutes(2))) @MainActor
struct UpgradedDeviceTests {
  private func configuration<T: Object>(
    _ device: Device, _ user: User, _ type: T.Type, version: UInt64
  ) -> Realm.Configuration {
    var configuration = user.flexibleSyncConfiguration {
      if $0.first(named: "stables") == nil { $0.append(QuerySubscription<T>(name: "stables")) }
    }
    configuration.fileURL = device.configuration.fileURL
    configuration.objectTypes = type is Stable.Type ? [type, Collar.self] : [type]
    configuration.schemaVersion = version
    return configuration
  }

  /// Makes the second device's file by the earlier version, and lets it receive what there is.
  private func receiveEarlier(_ two: TwoDevices) async throws {
    let realm = try await Realm(
      configuration: configuration(two.right, two.user, EarlierStable.self, version: 0),
      downloadBeforeOpen: .always)
    try await #require(realm.syncSession).wait(for: .download)
    #expect(realm.objects(EarlierStable.self).count == 2)
  }

  /// Both devices' files by the present version, the right one's with what the server has.
  private func openPresent(_ two: TwoDevices) async throws -> (left: Realm, right: Realm) {
    let right = try await Realm(
      configuration: configuration(two.right, two.user, Stable.self, version: 0),
      downloadBeforeOpen: .always)
    let left = try await Realm(
      configuration: configuration(two.left, two.user, Stable.self, version: 0))
    return (left, right)
  }

  private func text(_ stable: Stable) -> String {
    let byName = stable.byName.keys.sorted().map {
      "\($0): \(stable.byName[$0].flatMap { $0?.color } ?? "nil")"
    }
    let counts = stable.counts.keys.sorted().map { "\($0): \(stable.counts[$0] ?? -1)" }
    return """
      \(stable._id) \(stable.name) \(Array(stable.horses)) \(stable.sign?.color ?? "nil") \
      \(Array(stable.signs.map(\.color))) \(byName) \(counts) \(Array(stable.tags.sorted())) \
      \(stable.next?._id ?? "nil")
      """
  }

  private func text(_ realm: Realm) -> [String] {
    realm.objects(Stable.self).sorted(by: \._id).map(text)
  }

  @Test(
    "has what others wrote into properties that its earlier version lacked",
    arguments: [0, 1] as [UInt64])
  func receivesWhatWasThere(version: UInt64) async throws {
    try await TwoDevices.with { two in
      let left = try await Realm(
        configuration: configuration(two.left, two.user, Stable.self, version: 0),
        downloadBeforeOpen: .always)
      try left.write {
        let first = Stable(value: ["_id": "a", "name": "first", "horses": ["x", "y", "z"]])
        let second = left.create(Stable.self, value: ["_id": "b", "name": "second"])
        left.add(first)
        first.sign = Collar(value: ["color": "red"])
        first.signs.append(objectsIn: ["green", "blue"].map { Collar(value: ["color": $0]) })
        first.byName["k"] = Collar(value: ["color": "white"])
        first.counts["one"] = 1
        first.tags.insert("t")
        first.next = second
      }
      try await #require(left.syncSession).wait(for: .upload)
      try await receiveEarlier(two)
      let right = try await Realm(
        configuration: configuration(two.right, two.user, Stable.self, version: version),
        downloadBeforeOpen: .always)
      #expect(await waits(right) { text($0) == text(left) })
      #expect(text(right) == text(left))
      // Both can go on writing there.
      try right.write {
        let first = try #require(right.object(ofType: Stable.self, forPrimaryKey: "a"))
        first.horses.insert("w", at: 1)
        first.byName["l"] = Collar(value: ["color": "black"])
        first.sign?.color = "grey"
      }
      try await #require(right.syncSession).wait(for: .upload)
      #expect(await waits(left) { text($0) == text(right) })
      try left.write {
        let first = try #require(left.object(ofType: Stable.self, forPrimaryKey: "a"))
        first.horses.remove(at: 0)
        first.signs[1].color = "brown"
      }
      try await #require(left.syncSession).wait(for: .upload)
      #expect(await waits(right) { text($0) == text(left) })
    }
  }

  @Test("keeps what an earlier version of the app does not know, and opens its file")
  func earlierVersion() async throws {
    try await TwoDevices.with { two in
      @MainActor func make() async throws {
        let realm = try await Realm(
          configuration: configuration(two.left, two.user, Stable.self, version: 0),
          downloadBeforeOpen: .always)
        try realm.write {
          let first = Stable(value: ["_id": "a", "name": "first", "horses": ["x", "y"]])
          first.founded = Date(timeIntervalSince1970: 5)
          realm.add(first)
        }
      }
      @MainActor func rename() async throws {
        let realm = try await Realm(
          configuration: configuration(two.left, two.user, EarlierStable.self, version: 0))
        try realm.write {
          let first = try #require(realm.object(ofType: EarlierStable.self, forPrimaryKey: "a"))
          first.name = "renamed"
          realm.add(EarlierStable(value: ["_id": "b", "name": "second"]))
        }
        try await #require(realm.syncSession).wait(for: .upload)
      }
      try await make()
      try await rename()
      let (left, right) = try await openPresent(two)
      for realm in [left, right] {
        let all = realm.objects(Stable.self).sorted(by: \._id)
        #expect(all.map(\.name) == ["renamed", "second"])
        #expect(Array(all[0].horses) == ["x", "y"])
        #expect(all[1].horses.isEmpty)
        // Nobody wrote the second one's.
        #expect(all[0].founded == Date(timeIntervalSince1970: 5))
        #expect(all[1].founded == Date(timeIntervalSinceReferenceDate: 0))
      }
    }
  }

  @Test("has the same in a required date that nobody wrote as a device that did not have to be")
  func unwrittenDate() async throws {
    try await TwoDevices.with { two in
      @MainActor func makeEarlier() async throws {
        let realm = try await Realm(
          configuration: configuration(two.left, two.user, EarlierStable.self, version: 0))
        try realm.write { realm.add(EarlierStable(value: ["_id": "a", "name": "first"])) }
        try await #require(realm.syncSession).wait(for: .upload)
      }
      try await makeEarlier()
      let (left, right) = try await openPresent(two)
      for realm in [left, right] {
        let first = try #require(realm.object(ofType: Stable.self, forPrimaryKey: "a"))
        #expect(first.founded == Date(timeIntervalSinceReferenceDate: 0))
      }
      // Nor does what comes later make it another one.
      try right.write { right.objects(Stable.self)[0].name = "renamed" }
      #expect(await waits(left) { $0.objects(Stable.self).first?.name == "renamed" })
      #expect(left.objects(Stable.self)[0].founded == Date(timeIntervalSinceReferenceDate: 0))
    }
  }

  @Test("goes on when a list has been something else in between, and keeps what else was written")
  func anotherTypeInBetween() async throws {
    try await TwoDevices.with { two in
      @MainActor func open<T: Object>(_ type: T.Type, _ version: UInt64) async throws -> Realm {
        var configuration = configuration(two.left, two.user, type, version: version)
        configuration.objectTypes = [type]
        return try await Realm(configuration: configuration)
      }
      @MainActor func make() async throws {
        let realm = try await open(Shelf.self, 0)
        try realm.write {
          realm.add(Shelf(value: ["_id": "a", "name": "first", "places": [1, 2, 3]]))
        }
        try await #require(realm.syncSession).wait(for: .upload)
      }
      @MainActor func change() async throws {
        let realm = try await open(ShelfBetween.self, 1)
        try realm.write {
          let first = try #require(realm.object(ofType: ShelfBetween.self, forPrimaryKey: "a"))
          first.places = 5
          first.name = "renamed"
          realm.add(ShelfBetween(value: ["_id": "b", "name": "second", "places": 6]))
        }
      }
      try await make()
      try await change()
      let realm = try await open(Shelf.self, 2)
      try await #require(realm.syncSession).wait(for: .upload)
      try await #require(realm.syncSession).wait(for: .download)
      let all = realm.objects(Shelf.self).sorted(by: \._id)
      #expect(await waits(realm) { _ in all.first.map { Array($0.places) } == [1, 2, 3] })
      #expect(all.map(\.name) == ["renamed", "second"])
      #expect(all.last?.places.isEmpty == true)
      try realm.write { all[0].places.append(4) }
      try await #require(realm.syncSession).wait(for: .upload)
    }
  }
}
