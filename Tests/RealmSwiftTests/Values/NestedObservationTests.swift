import Dispatch
import RealmSwift
import Testing

/// What observers hear of changes in lists and dictionaries in `AnyRealmValue`.
@Suite struct NestedObservationTests {
  private let file = TemporaryRealm([Crate.self])
  private let observatory = Observatory([Crate.self])

  /// When it returns, all observers have their first state: what is written then is news to them.
  private func observe() async -> [RealmBox] {
    let boxes = (0..<5).map { _ in RealmBox() }
    observatory.run { [observatory] realm in
      let crate = realm.objects(Crate.self)[0]
      let map = crate.content.dictionaryValue!
      boxes[0].token = map["a"]!.listValue!.observe { observatory.tell("inner \($0.text)") }
      boxes[1].token = crate.contents.observe { observatory.tell("contents \($0.text)") }
      boxes[2].token = map.observe { change in
        switch change {
        case .update(_, _, _, let keys): observatory.tell("map \(keys)")
        case .initial, .error: observatory.tell("map initial")
        }
      }
      boxes[3].token = realm.objects(Crate.self).observe { observatory.tell("results \($0.text)") }
      boxes[4].token = crate.observe { (change: ObjectChange<Crate>) in
        if case .change(_, let changes) = change {
          observatory.tell("object \(changes.map(\.name))")
        }
      }
    }
    #expect(
      await told(4) == ["inner initial", "contents initial", "map initial", "results initial"])
    return boxes
  }

  /// So many things that were told, in whatever order.
  private func told(_ count: Int) async -> Set<String> {
    var told: Set<String> = []
    for _ in 0..<count { told.insert(await observatory.next() ?? "nothing") }
    return told
  }

  @Test func listsAndOwnersTell() async {
    observatory.writeElsewhere { realm in
      realm.create(
        Crate.self, value: ["content": ["a": [1, 2]], "contents": [[1], [2]]] as [String: Any])
    }
    let boxes = await observe()
    observatory.writeElsewhere {
      $0.objects(Crate.self)[0].content.dictionaryValue!["a"]!.listValue!.append(.int(3))
    }
    #expect(
      await told(4) == [
        "inner [] [2] []", "map [\"a\"]", "object [\"content\"]", "results [] [] [0]",
      ])
    observatory.writeElsewhere {
      $0.objects(Crate.self)[0].contents[1].listValue!.append(.int(9))
    }
    #expect(
      await told(3) == ["contents [] [] [1]", "object [\"contents\"]", "results [] [] [0]"])
    observatory.run { _ in boxes.forEach { $0.token = nil } }
  }

  @Test func listsInAnOrderOfTheirOwnTell() async {
    observatory.writeElsewhere { realm in
      realm.create(Crate.self, value: ["contents": [[1], 5, [[2]]] as [Any]])
    }
    let boxes = (0..<2).map { _ in RealmBox() }
    observatory.run { [observatory] realm in
      let contents = realm.objects(Crate.self)[0].contents
      boxes[0].token = contents.sorted(ascending: true).observe {
        observatory.tell("sorted \($0.text)")
      }
      boxes[1].token = contents.filter("self != 5").observe {
        observatory.tell("filtered \($0.text)")
      }
    }
    #expect(await told(2) == ["sorted initial", "filtered initial"])
    observatory.writeElsewhere {
      $0.objects(Crate.self)[0].contents[2].listValue![0].listValue!.append(.int(9))
    }
    #expect(await told(2) == ["sorted [] [] [2]", "filtered [] [] [1]"])
    observatory.run { _ in boxes.forEach { $0.token = nil } }
  }

  @Test func changesInThemCountAlsoWhereListsAreCompared() async {
    observatory.writeElsewhere { realm in
      realm.create(Crate.self, value: ["contents": [[1], 5] as [Any]])
    }
    let box = RealmBox()
    observatory.run { [observatory] realm in
      box.token = realm.objects(Crate.self)[0].contents.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      let contents = realm.objects(Crate.self)[0].contents
      contents[0].listValue!.append(.int(9))
      // More than is written down one by one.
      for number in 0..<1001 {
        contents.append(.int(number))
        contents.remove(at: 2)
      }
    }
    #expect(await observatory.next() == "[] [] [0]")
    observatory.run { _ in box.token = nil }
  }

  @Test func referencesAndFrozenOnesFollow() throws {
    let realm = try file.open()
    let crate = try realm.write { realm.create(Crate.self, value: ["content": [[1, 2]]]) }
    let list = try #require(crate.content.listValue?[0].listValue)
    let frozen = list.freeze()
    try realm.write { list.append(.int(3)) }
    #expect(frozen.count == 2 && frozen.isFrozen && frozen.thaw()?.count == 3)
    #expect(frozen.thaw() == list)
    let reference = ThreadSafeReference(to: list)
    let configuration = file.configuration
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "elsewhere").async {
      let elsewhere = try! Realm(configuration: configuration)
      #expect(elsewhere.resolve(reference)?.count == 3)
      done.signal()
    }
    done.wait()
  }
}
