import Foundation
import Observation
import Platform
import RealmSwift
import Testing

final class Cupboard: Object {
  @Persisted var name: String
  @Persisted var shelves: Map<String, Int>
  @Persisted var labels: MutableSet<String>
}

final class CupboardName: Projection<Cupboard> {
  @Projected(\Cupboard.name) var name
}

/// Changes as sequences, and Swift's Observation, of every kind of thing.
@Suite @MainActor struct ChangesSequenceTests {
  let file = TemporaryRealm([Cupboard.self])

  private func filled() async throws -> Realm {
    let realm = try await Realm(configuration: file.configuration)
    try realm.write { realm.create(Cupboard.self, value: ["name": "a"]) }
    return realm
  }

  @Test func mapsAndSets() async throws {
    let cupboard = try await filled().objects(Cupboard.self)[0]
    var told: [String] = []
    for await change in cupboard.shelves.changes {
      switch change {
      case .initial(let map):
        told.append("initial \(map.count)")
        file.writeElsewhere { $0.objects(Cupboard.self)[0].shelves["top"] = 1 }
      case .update(_, let deletions, let insertions, let modifications):
        told.append("\(deletions) \(insertions) \(modifications)")
      case .error: break
      }
      if told.count == 2 { break }
    }
    #expect(told == ["initial 0", "[] [\"top\"] []"])
    for await change in cupboard.labels.changes {
      told.append(change.text)
      if told.count == 4 { break }
      file.writeElsewhere { $0.objects(Cupboard.self)[0].labels.insert("red") }
    }
    #expect(told.suffix(2) == ["initial", "[] [0] []"])
  }

  @Test func sectionsAndOneOfThem() async throws {
    let sections = try await filled().objects(Cupboard.self).sectioned(by: \.name)
    var told: [Int] = []
    for await change in sections.changes {
      if case .initial(let sections) = change { told.append(sections.count) }
      if case .update(let sections, _, _, _, _, _) = change { told.append(sections.count) }
      if told.count == 2 { break }
      file.writeElsewhere { $0.create(Cupboard.self, value: ["name": "b"]) }
    }
    #expect(told == [1, 2])
    for await change in sections[0].changes {
      if case .initial(let section) = change { told.append(section.count) }
      if case .update(let section, _, _, _, _, _) = change { told.append(section.count) }
      if told.count == 4 { break }
      file.writeElsewhere { $0.create(Cupboard.self, value: ["name": "a"]) }
    }
    #expect(told == [1, 2, 1, 2])
  }

  @Test func projectionsUntilTheirObjectIsDeleted() async throws {
    let projection = try await filled().objects(CupboardName.self)[0]
    var names: [String] = []
    let file = file
    let writer = Task.detached {
      await Self.untilObserved()
      file.writeElsewhere { $0.objects(Cupboard.self)[0].name = "b" }
    }
    for await change in projection.changes {
      if case .change(let projection, _) = change {
        names.append(projection.name)
        file.writeElsewhere { $0.deleteAll() }
      } else {
        names.append("deleted")
      }
    }
    await writer.value
    #expect(names == ["b", "deleted"])
  }

  /// After what the main actor does now.
  private static func untilObserved() async {}

  @Test func aRealmsVersions() async throws {
    let realm = try await filled()
    var iterator = realm.changes.makeAsyncIterator()
    file.writeElsewhere { $0.create(Cupboard.self) }
    #expect(await iterator.next(isolation: MainActor.shared) == .didChange)
    #expect(realm.objects(Cupboard.self).count == 2)
  }

  @Test func observationTracksResultsAndObjects() async throws {
    let realm = try await filled()
    let cupboards = realm.objects(Cupboard.self).observed()
    let cupboard = realm.objects(Cupboard.self)[0].observed()
    let (events, teller) = AsyncStream.makeStream(of: String.self)
    var told = events.makeAsyncIterator()
    #expect(
      withObservationTracking {
        cupboards.value.count
      } onChange: {
        teller.yield("results")
      } == 1)
    // The first delivery, which is no change, comes before the next write at the latest.
    try realm.write {}
    file.writeElsewhere { $0.create(Cupboard.self) }
    #expect(await told.next() == "results")
    #expect(
      withObservationTracking {
        cupboard.name
      } onChange: {
        teller.yield("object")
      } == "a")
    file.writeElsewhere { $0.objects(Cupboard.self)[0].name = "b" }
    #expect(await told.next() == "object")
    #expect(cupboard.name == "b" && cupboards.count == 2)
  }
}
