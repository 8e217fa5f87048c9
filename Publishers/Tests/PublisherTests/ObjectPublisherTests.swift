import Combine
import Foundation
import RealmSwift
import Testing

/// What objects and projections publish, and opening.
@Suite struct ObjectPublisherTests {
  let stage = Stage()

  private func add() {
    stage.write { $0.create(Song.self, value: ["id": 1, "title": "a"]) }
  }

  @Test func objectsPublishThemselvesUntilTheyAreDeleted() async {
    add()
    stage.run { realm in
      valuePublisher(realm.objects(Song.self)[0])
        .sink(
          receiveCompletion: { stage.tell("\($0)") }, receiveValue: { stage.tell($0.title) }
        ).store(in: &stage.cancellables)
    }
    stage.write { $0.objects(Song.self)[0].title = "b" }
    #expect(await stage.next() == "b")
    stage.write { $0.deleteAll() }
    #expect(await stage.next() == "finished")
  }

  @Test func objectsPublishTheirChanges() async {
    add()
    stage.run { realm in
      changesetPublisher(realm.objects(Song.self)[0], keyPaths: ["plays"])
        .sink(
          receiveCompletion: { stage.tell("\($0)") },
          receiveValue: { change in
            if case .change(let song, let properties) = change {
              stage.tell("\(song.plays) \(properties.map(\.name))")
            } else {
              stage.tell("\(change)")
            }
          }
        ).store(in: &stage.cancellables)
    }
    stage.write { realm in
      realm.objects(Song.self)[0].title = "b"
      realm.objects(Song.self)[0].plays = 3
    }
    #expect(await stage.next() == "3 [\"plays\"]")
    stage.write { $0.deleteAll() }
    #expect(await stage.next() == "deleted")
    #expect(await stage.next() == "finished")
  }

  @Test func embeddedObjectsPublishUntilTheyAreDeleted() async {
    stage.write { $0.create(Album.self, value: ["cover": ["colour": "red"]]) }
    stage.run { realm in
      let cover = realm.objects(Album.self)[0].cover!
      cover.objectWillChange.sink { stage.tell("will change") }.store(in: &stage.cancellables)
      valuePublisher(cover)
        .sink(
          receiveCompletion: { stage.tell("value \($0)") },
          receiveValue: { stage.tell("value \($0.colour)") }
        ).store(in: &stage.cancellables)
      changesetPublisher(cover)
        .sink(
          receiveCompletion: { stage.tell("change \($0)") },
          receiveValue: { change in
            guard case .change(let cover, let properties) = change else { return }
            stage.tell("change \(cover.colour) \(properties.map(\.name))")
          }
        ).store(in: &stage.cancellables)
    }
    stage.write { $0.objects(Album.self)[0].cover!.colour = "blue" }
    #expect(await stage.next() == "will change")
    #expect(await stage.next() == "value blue")
    #expect(await stage.next() == "change blue [\"colour\"]")
    stage.write { $0.objects(Album.self)[0].cover = nil }
    #expect(await stage.next() == "value finished")
    #expect(await stage.next() == "change finished")
  }

  @Test func embeddedObjectsAreHandedOverToAnotherQueue() async {
    stage.write { $0.create(Album.self, value: ["cover": ["colour": "red"]]) }
    let other = DispatchQueue(label: "other")
    stage.run { realm in
      let cover = realm.objects(Album.self)[0].cover!
      valuePublisher(cover).receive(on: other)
        .sink(receiveCompletion: { _ in }, receiveValue: { stage.tell("value \($0.colour)") })
        .store(in: &stage.cancellables)
      changesetPublisher(cover).freeze()
        .sink { change in
          if case .change(let cover, _) = change { stage.tell("frozen \(cover.isFrozen)") }
        }.store(in: &stage.cancellables)
    }
    stage.write { $0.objects(Album.self)[0].cover!.colour = "blue" }
    #expect(Set([await stage.next(), await stage.next()]) == ["value blue", "frozen true"])
  }

  @Test func projectionsPublish() async {
    add()
    stage.run { realm in
      let projection = realm.objects(SongTitle.self)[0]
      valuePublisher(projection)
        .sink(receiveCompletion: { _ in }, receiveValue: { stage.tell("value " + $0.title) })
        .store(in: &stage.cancellables)
      changesetPublisher(projection).sink { change in
        if case .change(let projection, _) = change { stage.tell("change " + projection.title) }
      }.store(in: &stage.cancellables)
    }
    stage.write { $0.objects(Song.self)[0].title = "b" }
    #expect(await stage.next() == "value b")
    #expect(await stage.next() == "change b")
  }

  @Test func openingPublishesTheRealm() async {
    stage.queue.sync {
      Realm.asyncOpen(configuration: stage.file.configuration)
        .receive(on: stage.queue)
        .sink(
          receiveCompletion: { stage.tell("\($0)") },
          receiveValue: { stage.tell("open \($0.isEmpty)") }
        ).store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "open true")
    #expect(await stage.next() == "finished")
  }
}
