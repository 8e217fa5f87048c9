import Combine
import Foundation
import RealmSwift
import Testing

/// What collections, maps and sections publish.
@Suite struct CollectionPublisherTests {
  let stage = Stage()

  private func addSongs(_ count: Int) {
    stage.write { realm in
      for id in 0..<count { realm.create(Song.self, value: ["id": id, "genre": "\(id % 2)"]) }
      realm.create(Album.self, value: ["name": "A"])
    }
  }

  @Test func collectionsPublishThemselves() async {
    addSongs(2)
    stage.run { realm in
      realm.objects(Song.self).collectionPublisher
        .map(\.count)
        .sink(receiveCompletion: { _ in }, receiveValue: { stage.tell("\($0)") })
        .store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "2")
    stage.write { $0.create(Song.self, value: ["id": 7]) }
    #expect(await stage.next() == "3")
  }

  @Test func collectionsPublishTheirChanges() async {
    addSongs(3)
    stage.run { realm in
      realm.objects(Song.self).changesetPublisher(keyPaths: ["title"])
        .sink { stage.tell($0.text) }
        .store(in: &stage.cancellables)
      realm.objects(Album.self)[0].songs.changesetPublisher
        .sink { stage.tell("list " + $0.text) }
        .store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "initial")
    #expect(await stage.next() == "list initial")
    stage.write { $0.objects(Song.self)[1].plays = 1 }
    stage.write { $0.objects(Song.self)[1].title = "one" }
    #expect(await stage.next() == "[] [] [1]")
    stage.write { realm in
      realm.objects(Album.self)[0].songs.append(objectsIn: realm.objects(Song.self))
    }
    #expect(await stage.next() == "list [] [0, 1, 2] []")
  }

  @Test func setsMapsAndSectionsPublish() async {
    addSongs(4)
    stage.run { realm in
      let album = realm.objects(Album.self)[0]
      album.moods.collectionPublisher
        .sink(receiveCompletion: { _ in }, receiveValue: { stage.tell("set \($0.count)") })
        .store(in: &stage.cancellables)
      album.credits.changesetPublisher
        .sink { change in
          if case .update(_, _, let insertions, _) = change { stage.tell("map \(insertions)") }
        }
        .store(in: &stage.cancellables)
      realm.objects(Song.self).sectioned(by: \.genre).changesetPublisher
        .sink { change in
          if case .update(let sections, _, let insertions, _, _, _) = change {
            stage.tell("sections \(sections.count) \(insertions)")
          }
        }
        .store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "set 0")
    stage.write { realm in
      realm.objects(Album.self)[0].moods.insert("calm")
      realm.objects(Album.self)[0].credits["voice"] = 1
      realm.create(Song.self, value: ["id": 7, "genre": "2"])
    }
    #expect(await stage.next() == "set 1")
    #expect(await stage.next() == "map [\"voice\"]")
    #expect(await stage.next() == "sections 3 [[2, 0]]")
  }

  @Test func objectWillChangeTellsOfEachChange() async {
    addSongs(2)
    stage.run { realm in
      realm.objectWillChange.sink { stage.tell("realm") }.store(in: &stage.cancellables)
      realm.objects(Song.self)[0].objectWillChange.sink { stage.tell("object") }
        .store(in: &stage.cancellables)
    }
    stage.write { $0.objects(Song.self)[0].plays = 5 }
    #expect(await stage.next() == "realm")
    #expect(await stage.next() == "object")
    Song().objectWillChange.sink { stage.tell("never") }.cancel()
  }

  @Test func cancellingEndsTheObservation() async {
    addSongs(1)
    stage.run { realm in
      realm.objects(Song.self).changesetPublisher.sink { stage.tell($0.text) }
        .store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "initial")
    stage.run { _ in stage.cancellables = [] }
    stage.run { realm in try realm.write { realm.deleteAll() } }
    stage.run { _ in stage.tell("end") }
    #expect(await stage.next() == "end")
  }

  @Test func tokensAreSavedForSilentWrites() async {
    addSongs(1)
    final class Holder { var token: NotificationToken? }
    let holder = Holder()
    stage.run { realm in
      realm.objects(Song.self).changesetPublisher
        .saveToken(on: holder, at: \.token)
        .sink { stage.tell($0.text) }
        .store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "initial")
    stage.run { realm in
      try realm.write(withoutNotifying: [holder.token!]) { realm.objects(Song.self)[0].plays = 1 }
      try realm.write { realm.create(Song.self, value: ["id": 9]) }
    }
    #expect(await stage.next() == "[] [1] []")
    stage.run { _ in holder.token = nil }
  }
}
