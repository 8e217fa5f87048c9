import Dispatch
import RealmSwift
import Testing

/// Writes that name observers who are not to hear of them.
@Suite struct SilentWriteTests {
  let observatory = Observatory()
  let box = RealmBox()

  /// Observes all animals; the first change has the body write.
  private func observe(_ name: String, first body: @escaping (Realm) -> Void) -> NotificationToken {
    var isFirst = true
    let animals = box.realm!.objects(Animal.self)
    return animals.observe { [observatory] change in
      observatory.tell(name + change.text)
      guard isFirst, case .update(let animals, _, _, _) = change else { return }
      isFirst = false
      body(animals.realm!)
    }
  }

  private func end() {
    observatory.run { [box] _ in (box.token, box.realm) = (nil, nil) }
  }

  @Test("what others commit before a silent write gets its turn is told in front of it")
  func othersFirst() async {
    observatory.run { [observatory, box] realm in
      box.realm = realm
      box.token = observe("") { realm in
        // The handler is at a version that is no longer the newest.
        observatory.writeElsewhere { $0.add(Animal("of another")) }
        try! realm.write(withoutNotifying: [box.token!]) { realm.add(Animal("silent")) }
        observatory.tell("written")
      }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { $0.add(Animal("first")) }
    #expect(await observatory.next() == "[] [0] []")
    #expect(await observatory.next() == "[] [1] []")
    #expect(await observatory.next() == "written")
    observatory.writeElsewhere { $0.add(Animal("last")) }
    #expect(await observatory.next() == "[] [3] []")
    end()
  }

  @Test("a handler that is told in front of a silent write may write itself")
  func handlersWriteFirst() async {
    observatory.run { [observatory, box] realm in
      box.realm = realm
      let other = realm.objects(Animal.self).observe(keyPaths: ["age"]) { change in
        guard case .update(let animals, _, _, _) = change, animals.count == 2 else { return }
        let realm = animals.realm!
        #expect(!realm.isInWriteTransaction)
        try! realm.write { realm.add(Animal("of a handler")) }
      }
      box.token = observe("") { realm in
        observatory.writeElsewhere { $0.add(Animal("of another")) }
        try! realm.write(withoutNotifying: [box.token!, other]) { realm.add(Animal("silent")) }
        observatory.tell("\(Array(realm.objects(Animal.self).map(\.name)))")
      }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { $0.add(Animal("first")) }
    #expect(await observatory.next() == "[] [0] []")
    #expect(await observatory.next() == "[] [1] []")
    #expect(await observatory.next() == "[] [2] []")
    #expect(
      await observatory.next() == #"["first", "of another", "of a handler", "silent"]"#)
    end()
  }

  @Test("an observer that is still to be told is told in front of a handler's silent write")
  func observersInLineFirst() async {
    let second = RealmBox()
    observatory.run { [observatory, box] realm in
      box.realm = realm
      box.token = observe("first ") { realm in
        try! realm.write(withoutNotifying: [second.token!]) { realm.add(Animal("silent")) }
      }
      second.token = realm.objects(Animal.self).observe { observatory.tell("second " + $0.text) }
    }
    #expect(await observatory.next() == "first initial")
    #expect(await observatory.next() == "second initial")
    observatory.writeElsewhere { $0.add(Animal("loud")) }
    #expect(await observatory.next() == "first [] [0] []")
    #expect(await observatory.next() == "second [] [0] []")
    #expect(await observatory.next() == "first [] [1] []")
    observatory.run { _ in second.token = nil }
    end()
  }

  /// Observes twice; the first observer's handler writes, after a commit elsewhere that `refresh()`
  /// finds, so that both observers know it when the first one is told.
  private func writeWhileOthersKnow(
    _ second: RealmBox, _ write: @escaping @Sendable (Realm) -> Void
  ) async {
    observatory.run { [observatory, box] realm in
      box.realm = realm
      realm.autorefresh = false
      box.token = observe("first ", first: write)
      second.token = realm.objects(Animal.self).observe { observatory.tell("second " + $0.text) }
    }
    #expect(await observatory.next() == "first initial")
    #expect(await observatory.next() == "second initial")
    observatory.writeElsewhere { $0.add(Animal("loud")) }
    observatory.run { realm in #expect(realm.refresh()) }
    #expect(await observatory.next() == "first [] [0] []")
  }

  @Test("an observer that knows of a commit, but was not told, is told in front of a silent write")
  func knownButUntold() async {
    let second = RealmBox()
    await writeWhileOthersKnow(second) { realm in
      try! realm.write(withoutNotifying: [second.token!]) { realm.add(Animal("silent")) }
    }
    #expect(await observatory.next() == "second [] [0] []")
    #expect(await observatory.next() == "first [] [1] []")
    observatory.writeElsewhere { $0.add(Animal("last")) }
    observatory.run { realm in #expect(realm.refresh()) }
    #expect(await observatory.next() == "first [] [2] []")
    #expect(await observatory.next() == "second [] [2] []")
    observatory.run { _ in second.token = nil }
    end()
  }

  @Test("a silent commit that was not begun as one loses nothing of what came before it")
  func silentOnlyAtCommit() async {
    let second = RealmBox()
    await writeWhileOthersKnow(second) { realm in
      realm.beginWrite()
      realm.add(Animal("silent"))
      try! realm.commitWrite(withoutNotifying: [second.token!])
    }
    #expect(await observatory.next() == "second [] [0, 1] []")
    #expect(await observatory.next() == "first [] [1] []")
    observatory.run { _ in second.token = nil }
    end()
  }

  @Test("a map's keys are right after a silent write that changed them")
  func mapsAfterSilence() async {
    let observatory = Observatory([Drawer.self, Tool.self])
    observatory.run { [box] realm in
      let drawer = Drawer()
      try! realm.write { realm.add(drawer) }
      box.realm = realm
      box.token = drawer.counts.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.run { [box] realm in
      let counts = realm.objects(Drawer.self)[0].counts
      try! realm.write(withoutNotifying: [box.token!]) { (counts["a"], counts["c"]) = (1, 3) }
      try! realm.write { (counts["b"], counts["c"]) = (2, nil) }
    }
    #expect(await observatory.next() == #"["c"] ["b"] []"#)
    observatory.run { [box] _ in (box.token, box.realm) = (nil, nil) }
  }

  @Test("sections are right after a silent write that changed them")
  func sectionsAfterSilence() async {
    observatory.run { [observatory, box] realm in
      try! realm.write { realm.add(Animal("first", age: 1)) }
      box.realm = realm
      let sections = realm.objects(Animal.self).sectioned(by: \.age)
      box.token = sections.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.run { [box] realm in
      let animals = realm.objects(Animal.self)
      try! realm.write(withoutNotifying: [box.token!]) { realm.add(Animal("silent")) }
      try! realm.write { realm.delete(animals.where { $0.name == "silent" }) }
    }
    #expect(await observatory.next() == "- + ~ sections +[] -[0]")
    end()
  }

  @Test("a write on a queue may name a token of an observation on that queue")
  func tokensOfQueues() async throws {
    let file = TemporaryRealm()
    let queue = DispatchQueue(label: "observer")
    let (events, continuation) = AsyncStream<String>.makeStream()
    let realm = try file.open()
    let token = realm.objects(Animal.self).observe(on: queue) { continuation.yield($0.text) }
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next() == "initial")
    queue.sync {
      let realm = try! Realm(configuration: file.configuration, queue: queue)
      try! realm.write(withoutNotifying: [token]) { realm.add(Animal("silent")) }
      try! realm.write { realm.add(Animal("loud")) }
    }
    #expect(await iterator.next() == "[] [1] []")
    token.invalidate()
  }
}
