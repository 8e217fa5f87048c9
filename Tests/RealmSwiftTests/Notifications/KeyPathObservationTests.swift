import Dispatch
import RealmSwift
import Testing

/// Where observers of these tests live.
enum ObservingPlace: CaseIterable, Sendable {
  case loop, queue, actor
}

/// Observes on an actor.
private actor PathObserver {
  private let observatory: Observatory
  private var realm: Realm!
  private var token: NotificationToken?

  init(_ observatory: Observatory) async throws {
    self.observatory = observatory
    realm = try await Realm(configuration: observatory.file.configuration, actor: self)
  }

  func observe<E: Object & SendableMetatype>(_ type: E.Type, _ keyPaths: [String]) async {
    await realm.asyncRefresh()
    token = await realm.objects(type).observe(keyPaths: keyPaths, on: self) {
      [observatory] _, change in observatory.tell(change.text)
    }
  }

  func observeFirst<E: Object & SendableMetatype>(_ type: E.Type, _ keyPaths: [String]) async {
    await realm.asyncRefresh()
    token = await realm.objects(type)[0].observe(keyPaths: keyPaths, on: self) {
      [observatory] _, change in observatory.tell(change.names)
    }
  }

  func end() { token = nil }
}

extension ObjectChange {
  fileprivate var names: String {
    switch self {
    case .change(_, let properties): "\(properties.map(\.name))"
    case .deleted: "deleted"
    case .error(let error): "error \(error)"
    }
  }
}

/// Key paths across links: what counts is at the end of the path, and the links on the way to it.
@Suite struct KeyPathObservationTests {
  let observatory = Observatory()
  let box = RealmBox()
  private let queue = DispatchQueue(label: "paths")
  private let observer: PathObserver

  init() async throws {
    observer = try await PathObserver(observatory)
    // Keeper n has animals n and n + 1, and n for a favourite.
    observatory.writeElsewhere { realm in
      let animals = (0..<4).map { Animal("animal \($0)", age: $0) }
      for id in 0..<3 {
        let keeper = Keeper(value: ["id": id, "name": "keeper \(id)"])
        keeper.animals.append(objectsIn: animals[id...(id + 1)])
        keeper.favourite = animals[id]
        realm.add(keeper)
      }
      for (index, animal) in animals.enumerated() {
        animal.keeper = realm.object(ofType: Keeper.self, forPrimaryKey: (index + 1) % 3)
      }
    }
    observatory.run { $0.refresh() }
  }

  private func observe<E: Object & SendableMetatype>(
    _ type: E.Type, _ keyPaths: String..., at place: ObservingPlace
  ) async {
    switch place {
    case .actor: await observer.observe(type, keyPaths)
    case .loop, .queue:
      let queue = place == .queue ? queue : nil
      observatory.run { [observatory, box] realm in
        box.token = realm.objects(type).observe(keyPaths: keyPaths, on: queue) {
          observatory.tell($0.text)
        }
      }
    }
    #expect(await observatory.next() == "initial")
  }

  private func observeFirst<E: Object & SendableMetatype>(
    _ type: E.Type, _ keyPaths: String..., at place: ObservingPlace
  ) async {
    switch place {
    case .actor: await observer.observeFirst(type, keyPaths)
    case .loop, .queue:
      let queue = place == .queue ? queue : nil
      observatory.run { [observatory, box] realm in
        box.token = realm.objects(type)[0].observe(keyPaths: keyPaths, on: queue) {
          (change: ObjectChange<E>) in observatory.tell(change.names)
        }
      }
      // What is set up on the queue is there after this.
      self.queue.sync {}
    }
  }

  private func end() async {
    observatory.run { [box] _ in box.token = nil }
    await observer.end()
  }

  private func change(_ body: @escaping @Sendable ([Keeper], [Animal]) -> Void) {
    observatory.writeElsewhere { realm in
      body(Array(realm.objects(Keeper.self)), Array(realm.objects(Animal.self)))
    }
  }

  @Test("the end of a path across a link counts, and the link", arguments: ObservingPlace.allCases)
  func acrossALink(place: ObservingPlace) async {
    await observe(Keeper.self, "favourite.age", at: place)
    change { keepers, animals in
      keepers[0].name = "does not count"
      animals[0].weight = 7
      animals[3].age = 7
      animals[1].age = 7
    }
    #expect(await observatory.next() == "[] [] [1]")
    change { keepers, animals in keepers[2].favourite = animals[2] }
    #expect(await observatory.next() == "[] [] [2]")
    change { keepers, _ in keepers[2].favourite = nil }
    #expect(await observatory.next() == "[] [] [2]")
    change { keepers, animals in
      animals[2].age = 8
      animals[0].age = 8
    }
    #expect(await observatory.next() == "[] [] [0]", "keeper 2 has no favourite any more")
    await end()
  }

  @Test("elements of a list at the end of a path count", arguments: ObservingPlace.allCases)
  func acrossAList(place: ObservingPlace) async {
    await observe(Keeper.self, "animals.age", at: place)
    change { keepers, animals in
      keepers[0].favourite = nil
      animals[0].name = "does not count"
      animals[2].age = 7
    }
    #expect(await observatory.next() == "[] [] [1, 2]", "both have animal 2")
    change { keepers, animals in keepers[0].animals.append(animals[3]) }
    #expect(await observatory.next() == "[] [] [0]")
    change { keepers, _ in keepers[1].animals.removeAll() }
    #expect(await observatory.next() == "[] [] [1]")
    change { _, animals in animals[2].age = 9 }
    #expect(await observatory.next() == "[] [] [2]")
    await end()
  }

  @Test("paths may cross several links", arguments: ObservingPlace.allCases)
  func acrossSeveralLinks(place: ObservingPlace) async {
    // Keeper 0, animal 0, keeper 1, animal 1, keeper 2, animals 2 and 3.
    await observe(Keeper.self, "favourite.keeper.favourite.keeper.animals.weight", at: place)
    change { keepers, animals in
      animals[0].age = 7
      animals[3].weight = 7
    }
    #expect(await observatory.next() == "[] [] [0]")
    change { _, animals in animals[1].keeper = nil }
    #expect(await observatory.next() == "[] [] [0, 1]", "a link on the way, from both")
    change { _, animals in animals[1].weight = 9 }
    #expect(
      await observatory.next() == "[] [] [2]", "keeper 2, animal 2, keeper 0, animal 0, keeper 1")
    await end()
  }

  @Test("paths may go against links", arguments: ObservingPlace.allCases)
  func againstLinks(place: ObservingPlace) async {
    await observe(Animal.self, "keepers.name", at: place)
    change { keepers, animals in
      animals[3].age = 7
      keepers[0].favourite = nil
      keepers[1].name = "counts"
    }
    #expect(await observatory.next() == "[] [] [1, 2]")
    change { keepers, animals in keepers[0].animals.append(animals[3]) }
    let told = await observatory.next()
    #expect(told?.hasPrefix("[] [] [") == true && told?.hasSuffix("3]") == true)
    await end()
  }

  @Test("several paths count together", arguments: ObservingPlace.allCases)
  func severalPaths(place: ObservingPlace) async {
    await observe(Keeper.self, "name", "favourite.weight", at: place)
    change { keepers, animals in
      keepers[2].name = "counts"
      animals[0].weight = 7
      animals[1].age = 7
    }
    #expect(await observatory.next() == "[] [] [0, 2]")
    await end()
  }

  @Test(
    "an object tells of the property that a path begins with", arguments: ObservingPlace.allCases)
  func objects(place: ObservingPlace) async {
    await observeFirst(Keeper.self, "favourite.age", "animals.name", at: place)
    change { keepers, animals in
      keepers[0].name = "does not count"
      animals[0].weight = 7
      animals[3].name = "not one of its animals"
    }
    change { _, animals in animals[1].name = "counts" }
    #expect(await observatory.next() == #"["animals"]"#)
    change { _, animals in animals[0].age = 7 }
    #expect(await observatory.next() == #"["favourite"]"#)
    change { keepers, _ in keepers[0].favourite = nil }
    #expect(await observatory.next() == #"["favourite"]"#)
    change { keepers, _ in keepers[0].realm!.delete(keepers[0]) }
    #expect(await observatory.next() == "deleted")
    await end()
  }

  @Test(
    "an object tells of linking objects that a path begins with",
    arguments: ObservingPlace.allCases)
  func objectsAgainstLinks(place: ObservingPlace) async {
    await observeFirst(Animal.self, "keepers.name", at: place)
    change { keepers, animals in
      keepers[1].name = "keeps others"
      animals[0].age = 7
    }
    change { keepers, _ in keepers[0].name = "counts" }
    #expect(await observatory.next() == #"["keepers"]"#)
    change { keepers, animals in keepers[2].animals.append(animals[0]) }
    #expect(await observatory.next() == #"["keepers"]"#)
    await end()
  }

  @Test(
    "a list may be observed along paths", arguments: ObservingPlace.allCases.filter { $0 != .actor }
  )
  func lists(place: ObservingPlace) async {
    let queue = place == .queue ? queue : nil
    observatory.run { [observatory, box] realm in
      let keeper = realm.objects(Keeper.self)[0]
      box.token = keeper.animals.observe(keyPaths: ["keeper.name"], on: queue) {
        observatory.tell($0.text)
      }
    }
    #expect(await observatory.next() == "initial")
    change { keepers, animals in
      animals[0].age = 7
      keepers[2].name = "keeper of animal 1"
    }
    #expect(await observatory.next() == "[] [] [1]")
    change { keepers, animals in
      animals[0].keeper = nil
      keepers[0].animals.insert(animals[3], at: 0)
    }
    #expect(await observatory.next() == "[] [0] [0]")
    await end()
  }
}
