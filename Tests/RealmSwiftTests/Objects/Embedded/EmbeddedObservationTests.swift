import Foundation
import RealmSwift
import Testing

extension ObjectChange {
  fileprivate var names: String {
    switch self {
    case .change(_, let changes): changes.map(\.name).joined(separator: " ")
    case .deleted: "deleted"
    case .error(let error): "error \(error)"
    }
  }
}

/// What observers of embedded objects, and of objects through them, are told.
@Suite struct EmbeddedObservationTests {
  let observatory = Observatory(EmbeddedModels.types)

  private func fill() {
    observatory.writeElsewhere { realm in
      realm.create(House.self, value: ["hall": ["name": "hall"], "rooms": [["a"], ["b"]]])
    }
  }

  @Test func anEmbeddedObjectTellsItsChangesAndItsEnd() async {
    fill()
    let token = RealmBox()
    observatory.run { [observatory] realm in
      token.token = realm.objects(House.self)[0].hall!.observe { (change: ObjectChange<Room>) in
        observatory.tell(change.names)
      }
    }
    observatory.writeElsewhere { $0.objects(House.self)[0].hall!.size = 3 }
    #expect(await observatory.next() == "size")
    observatory.writeElsewhere { $0.objects(House.self)[0].hall = Room("other") }
    #expect(await observatory.next() == "deleted")
  }

  @Test func anOwnerIsToldOfItsPropertyAndAlongKeyPathsOfWhatIsIn() async {
    fill()
    let token = RealmBox()
    observatory.run { [observatory] realm in
      token.token = realm.objects(House.self)[0].observe(keyPaths: ["hall.name", "rooms.size"]) {
        (change: ObjectChange<House>) in observatory.tell(change.names)
      }
    }
    observatory.writeElsewhere { $0.objects(House.self)[0].hall!.name = "lobby" }
    #expect(await observatory.next() == "hall")
    observatory.writeElsewhere { $0.objects(House.self)[0].rooms[1].size = 1 }
    #expect(await observatory.next() == "rooms")
    observatory.writeElsewhere { $0.objects(House.self)[0].hall = nil }
    #expect(await observatory.next() == "hall")
  }

  @Test func aListTellsWhatCameAndWentAndChanged() async {
    fill()
    let token = RealmBox()
    observatory.run { [observatory] realm in
      token.token = realm.objects(House.self)[0].rooms.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      let rooms = realm.objects(House.self)[0].rooms
      rooms[1].size = 2
      rooms.append(Room("c"))
      rooms.remove(at: 0)
    }
    #expect(await observatory.next() == "[0] [1] [1]")
    observatory.writeElsewhere { realm in
      realm.objects(House.self)[0].rooms[0].niches.append(Niche(1))
    }
    #expect(await observatory.next() == "[] [] [0]")
    observatory.writeElsewhere { $0.delete($0.objects(House.self)) }
    #expect(await observatory.next() == "[0, 1] [] []")
  }

  @Test func anActorIsToldOfAnEmbeddedObject() async throws {
    actor Watcher {
      var names: [String] = []
      func note(_ name: String) { names.append(name) }
    }
    fill()
    let (events, continuation) = AsyncStream<String>.makeStream()
    let watcher = Watcher()
    let token = await { @MainActor [file = observatory.file] in
      let realm = try! await Realm.open(configuration: file.configuration)
      let room = realm.objects(House.self)[0].hall!
      return await room.observe(keyPaths: ["name"], on: watcher) { _, change in
        continuation.yield(change.names)
      }
    }()
    observatory.writeElsewhere { $0.objects(House.self)[0].hall!.name = "lobby" }
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == "name")
    token.invalidate()
  }

  @Test func aProjectionOfAnEmbeddedObjectIsObserved() async {
    fill()
    let token = RealmBox()
    observatory.run { [observatory] realm in
      let view = RoomView(projecting: realm.objects(House.self)[0].rooms[0])
      token.token = view.observe { observatory.tell($0.names) }
    }
    observatory.writeElsewhere { $0.objects(House.self)[0].rooms[0].name = "A" }
    #expect(await observatory.next() == "title")
  }
}
