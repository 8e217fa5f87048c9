import RealmSwift
import Testing

/// Collections of values of any kind, some of which are objects.
@Suite("objects in collections of values of any kind") struct AnyElementTests {
  let observatory = Observatory([AnyLinkHolder.self, AnyLinkTarget.self])
  let box = RealmBox()

  init() {
    observatory.writeElsewhere { realm in
      let holder = realm.create(AnyLinkHolder.self, value: ["id": 0])
      let targets = (0..<7).map { realm.create(AnyLinkTarget.self, value: ["id": $0]) }
      holder.list.append(objectsIn: [
        .int(1), .object(targets[0]), .object(targets[1]), .object(targets[0]),
        .fromArray([.int(5), .object(targets[2])]),
      ])
      holder.set.insert(objectsIn: [.int(1), .object(targets[0]), .object(targets[1])])
      holder.map["a"] = .int(1)
      holder.map["b"] = .object(targets[0])
      holder.map["c"] = .object(targets[1])
      holder.map["d"] = .fromArray([.object(targets[2])])
      targets[1].any = .fromArray([.object(targets[3])])
    }
  }

  private func observe<C: RealmCollection>(
    _ collection: @escaping @Sendable (AnyLinkHolder) -> C
  ) async {
    observatory.run { [observatory, box] realm in
      realm.refresh()
      box.token = collection(realm.objects(AnyLinkHolder.self)[0]).observe {
        observatory.tell($0.text)
      }
    }
    #expect(await observatory.next() == "initial")
  }

  /// A commit that each of the collections is told of in any case, at its end.
  private func change(
    _ target: Int, _ body: @escaping @Sendable (AnyLinkHolder) -> Void
  ) {
    observatory.writeElsewhere { realm in
      realm.object(ofType: AnyLinkTarget.self, forPrimaryKey: target)!.number += 1
      body(realm.objects(AnyLinkHolder.self)[0])
    }
  }

  private func end() { observatory.run { [box] _ in box.token = nil } }

  @Test("a list tells where an object that changed stands, and what links to it")
  func list() async {
    await observe { $0.list }
    change(0) { $0.list.append(.string("end")) }
    #expect(await observatory.next() == "[] [5] [1, 3]")
    change(3) { $0.list.insert(.int(0), at: 0) }
    #expect(await observatory.next() == "[] [0] [2]")
    change(2) { $0.list.remove(at: 0) }
    #expect(await observatory.next() == "[0] [] [5]")
    change(6) { $0.list.append(.int(7)) }
    #expect(await observatory.next() == "[] [6] []")
    end()
  }

  @Test("a list that has not changed itself tells of its objects")
  func quietList() async {
    await observe { $0.list }
    change(1) { _ in }
    #expect(await observatory.next() == "[] [] [2]")
    change(2) { _ in }
    #expect(await observatory.next() == "[] [] [4]")
    end()
  }

  @Test("a list that gets its first object of a class after its observer tells of it")
  func firstOfItsClass() async {
    await observe { $0.list }
    observatory.writeElsewhere { realm in
      let other = realm.create(AnyLinkHolder.self, value: ["id": 1])
      realm.objects(AnyLinkHolder.self)[0].list.append(.object(other))
    }
    #expect(await observatory.next() == "[] [5] []")
    observatory.writeElsewhere { realm in
      realm.object(ofType: AnyLinkHolder.self, forPrimaryKey: 1)!.any = .int(4)
    }
    #expect(await observatory.next() == "[] [] [5]")
    end()
  }

  @Test("a filtered list tells where an object that changed stands")
  func filteredList() async {
    await observe { $0.list.filter("self.@type == 'object'") }
    change(1) { $0.list.insert($0.list[1], at: 0) }
    #expect(await observatory.next() == "[] [1] [1]")
    end()
  }

  @Test("a set tells where an object that changed stands")
  func set() async {
    await observe { $0.set }
    change(1) { $0.set.insert(.int(0)) }
    #expect(await observatory.next() == "[] [0] [2]")
    change(3) { _ in }
    #expect(await observatory.next() == "[] [] [3]")
    end()
  }

  @Test("a map tells by which key an object that changed is there")
  func map() async {
    observatory.run { [observatory, box] realm in
      realm.refresh()
      box.token = realm.objects(AnyLinkHolder.self)[0].map.observe { change in
        switch change {
        case .initial: observatory.tell("initial")
        case .update(_, let deletions, let insertions, let modifications):
          observatory.tell("\(deletions) \(insertions) \(modifications)")
        case .error(let error): observatory.tell("\(error)")
        }
      }
    }
    #expect(await observatory.next() == "initial")
    change(0) { $0.map["z"] = .int(1) }
    #expect(await observatory.next() == "[] [\"z\"] [\"b\"]")
    change(3) { $0.map.removeObject(for: "a") }
    #expect(await observatory.next() == "[\"a\"] [] [\"c\"]")
    change(2) { _ in }
    #expect(await observatory.next() == "[] [] [\"d\"]")
    end()
  }

  @Test("a list inside of a value tells of its objects")
  func nestedList() async {
    await observe { $0.list[4].listValue! }
    change(2) { $0.list[4].listValue!.append(.int(1)) }
    #expect(await observatory.next() == "[] [2] [1]")
    end()
  }

  @Test("elements that come and go with a change that is joined to others are told once")
  func joined() async {
    await observe { $0.list }
    observatory.run { [observatory] realm in
      // The observer's thread is busy while others commit.
      for round in 0..<3 {
        observatory.writeElsewhere { realm in
          let target = realm.object(ofType: AnyLinkTarget.self, forPrimaryKey: round)!
          target.number += 1
          realm.objects(AnyLinkHolder.self)[0].list.insert(.object(target), at: 0)
        }
      }
      _ = realm
    }
    #expect(await observatory.next() == "[] [0, 1, 2] [1, 2, 3, 4]")
    end()
  }
}
