import Combine
import Foundation
import RealmSwift
import Testing

/// Publishing from one queue to another.
@Suite struct HandoverTests {
  let stage = Stage()
  private let other = DispatchQueue(label: "other")

  private func add() {
    stage.write { realm in
      realm.create(Song.self, value: ["id": 1, "title": "a"])
      realm.create(Album.self, value: ["name": "A"])
    }
  }

  private func tell(_ event: String) {
    dispatchPrecondition(condition: .onQueue(other))
    stage.tell(event)
  }

  @Test func subscribingOnAQueueObservesThere() async {
    add()
    stage.run { realm in
      realm.objects(Song.self).collectionPublisher.subscribe(on: other)
        .sink(
          receiveCompletion: { _ in },
          receiveValue: { songs in tell("\(songs.count) \(songs.realm!.isFrozen)") }
        ).store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "1 false")
    stage.write { $0.create(Song.self, value: ["id": 2]) }
    #expect(await stage.next() == "2 false")
  }

  @Test func receivingOnAQueueHandsOver() async {
    add()
    stage.run { realm in
      realm.objects(Song.self).collectionPublisher.receive(on: other)
        .sink(receiveCompletion: { _ in }, receiveValue: { tell("songs \($0.count)") })
        .store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "songs 1")
    stage.run { realm in
      realm.objects(Song.self).changesetPublisher.threadSafeReference().receive(on: other)
        .sink { change in
          if case .initial(let songs) = change { tell("change " + songs[0].title) }
        }.store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "change a")
  }

  @Test func objectsAndMapsAreHandedOver() async {
    add()
    stage.run { realm in
      changesetPublisher(realm.objects(Song.self)[0]).receive(on: other).sink { change in
        if case .change(let song, let properties) = change {
          tell("\(song.title) \(properties[0].name)")
        }
      }.store(in: &stage.cancellables)
      realm.objects(Album.self)[0].credits.changesetPublisher.map { $0 }.threadSafeReference()
        .receive(on: other)
        .sink { change in
          if case .initial(let map) = change { tell("map \(map.count)") }
        }.store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "map 0")
    stage.write { $0.objects(Song.self)[0].title = "b" }
    #expect(await stage.next() == "b title")
  }

  @Test func whatWasFrozenCanGoAnywhere() async {
    add()
    stage.run { realm in
      realm.objects(Song.self).collectionPublisher.freeze()
        .receive(on: DispatchQueue.global())
        .sink(
          receiveCompletion: { _ in },
          receiveValue: { stage.tell("\($0.isFrozen) \($0[0].title)") }
        ).store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "true a")
    stage.run { realm in
      changesetPublisher(realm.objects(Song.self)[0]).freeze()
        .receive(on: DispatchQueue.global())
        .sink { change in
          if case .change(let song, _) = change { stage.tell("\(song.isFrozen) \(song.title)") }
        }.store(in: &stage.cancellables)
    }
    stage.write { $0.objects(Song.self)[0].title = "b" }
    var events: Set<String?> = []
    for _ in 0..<2 { events.insert(await stage.next()) }
    #expect(events == ["true b"])
  }

  /// A model of a view, as programs for Apple's platforms have them.
  @Test func aViewModelPublishesWhatItShows() async {
    final class Model: ObservableObject {
      @Published var titles: [String] = []
      private var cancellables: Set<AnyCancellable> = []

      init(_ realm: Realm) {
        realm.objects(Song.self).collectionPublisher
          .map { $0.map(\.title) as [String] }
          .replaceError(with: [])
          .assign(to: &$titles)
      }
    }
    add()
    stage.run { realm in
      let model = Model(realm)
      model.$titles.dropFirst().sink { stage.tell("\($0)") }.store(in: &stage.cancellables)
      AnyCancellable { _ = model }.store(in: &stage.cancellables)
    }
    #expect(await stage.next() == "[\"a\"]")
  }
}
