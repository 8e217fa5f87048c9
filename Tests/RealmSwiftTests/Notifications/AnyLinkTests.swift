import RealmSwift
import Testing

/// Holds links in values of any kind.
final class AnyLinkHolder: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var any: AnyRealmValue
  @Persisted var list: List<AnyRealmValue>
  @Persisted var set: MutableSet<AnyRealmValue>
  @Persisted var map: Map<String, AnyRealmValue>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Is linked to, and may link on.
final class AnyLinkTarget: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var number: Int
  @Persisted var any: AnyRealmValue
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Where the link is.
enum AnyLinkPlace: CaseIterable, Sendable {
  case property, list, set, map, nestedList, nestedMap, nestedTwice, nestedInList, nestedInMap

  func put(_ value: AnyRealmValue, in holder: AnyLinkHolder) {
    switch self {
    case .property: holder.any = value
    case .list: holder.list.append(objectsIn: [.int(1), value])
    case .set: holder.set.insert(value)
    case .map: holder.map["key"] = value
    case .nestedList: holder.any = .fromArray([.int(1), value])
    case .nestedMap: holder.any = .fromDictionary(["key": value])
    case .nestedTwice: holder.any = .fromArray([.fromDictionary(["key": .fromArray([value])])])
    case .nestedInList: holder.list.append(.fromDictionary(["key": value]))
    case .nestedInMap: holder.map["key"] = .fromArray([value])
    }
  }
}

@Suite("links in values of any kind") struct AnyLinkTests {
  let observatory = Observatory([AnyLinkHolder.self, AnyLinkTarget.self])
  let box = RealmBox()

  init() {
    observatory.writeElsewhere { realm in
      realm.create(AnyLinkHolder.self, value: ["id": 0])
      for id in 0..<7 { realm.create(AnyLinkTarget.self, value: ["id": id]) }
    }
  }

  private func link(_ place: AnyLinkPlace, to id: Int = 0) {
    observatory.writeElsewhere { realm in
      place.put(.object(Self.target(id, realm)), in: realm.objects(AnyLinkHolder.self)[0])
    }
  }

  private func observeHolders() async {
    observatory.run { [observatory, box] realm in
      realm.refresh()
      box.token = realm.objects(AnyLinkHolder.self).observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
  }

  /// A commit with one more holder, of which observers of holders are told in any case.
  private func write(_ body: @escaping @Sendable (Realm) -> Void) {
    observatory.writeElsewhere { realm in
      body(realm)
      realm.create(AnyLinkHolder.self, value: ["id": realm.objects(AnyLinkHolder.self).count])
    }
  }

  private func end() { observatory.run { [box] _ in box.token = nil } }

  private static func target(_ id: Int, _ realm: Realm) -> AnyLinkTarget {
    realm.object(ofType: AnyLinkTarget.self, forPrimaryKey: id)!
  }

  @Test("a change in what is linked to modifies the holder", arguments: AnyLinkPlace.allCases)
  func modifiesTheHolder(_ place: AnyLinkPlace) async {
    link(place)
    await observeHolders()
    write { Self.target(0, $0).number = 1 }
    #expect(await observatory.next() == "[] [1] [0]")
    write { Self.target(1, $0).number = 1 }
    #expect(await observatory.next() == "[] [2] []")
    end()
  }

  @Test("links that come after an observer count, also the first", arguments: AnyLinkPlace.allCases)
  func comesLater(_ place: AnyLinkPlace) async {
    await observeHolders()
    link(place)
    #expect(await observatory.next() == "[] [] [0]")
    write { Self.target(0, $0).number = 1 }
    #expect(await observatory.next() == "[] [1] [0]")
    end()
  }

  @Test("links that are gone do not count", arguments: AnyLinkPlace.allCases)
  func goneLinks(_ place: AnyLinkPlace) async {
    link(place)
    observatory.writeElsewhere { realm in
      let holder = realm.objects(AnyLinkHolder.self)[0]
      holder.any = .none
      holder.list.removeAll()
      holder.set.removeAll()
      holder.map.removeAll()
    }
    await observeHolders()
    write { Self.target(0, $0).number = 1 }
    #expect(await observatory.next() == "[] [1] []")
    end()
  }

  @Test("four links away is near, five are far; a list around a link is no link more")
  func depth() async {
    link(.nestedTwice)
    observatory.writeElsewhere { realm in
      for id in 0..<4 {
        let next = AnyRealmValue.object(Self.target(id + 1, realm))
        Self.target(id, realm).any = id % 2 == 0 ? next : .fromArray([next])
      }
    }
    await observeHolders()
    write { Self.target(4, $0).number = 1 }
    #expect(await observatory.next() == "[] [1] []")
    write { Self.target(3, $0).number = 1 }
    #expect(await observatory.next() == "[] [2] [0]")
    end()
  }

  @Test("objects that link to each other in a circle are each near")
  func circle() async {
    link(.property)
    observatory.writeElsewhere { realm in
      Self.target(0, realm).any = .fromArray([.object(Self.target(1, realm))])
      Self.target(1, realm).any = .object(realm.objects(AnyLinkHolder.self)[0])
    }
    await observeHolders()
    write { Self.target(1, $0).number = 1 }
    #expect(await observatory.next() == "[] [1] [0]")
    end()
  }

  @Test("what is linked to by a link that is an object property counts as well")
  func mixedThenPlain() async {
    observatory.run { [observatory, box] realm in
      realm.refresh()
      box.token = realm.objects(AnyLinkTarget.self).observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      Self.target(6, realm).any = .object(realm.objects(AnyLinkHolder.self)[0])
    }
    #expect(await observatory.next() == "[] [] [6]")
    observatory.writeElsewhere { realm in realm.objects(AnyLinkHolder.self)[0].list.append(.int(1))
    }
    #expect(await observatory.next() == "[] [] [6]")
    end()
  }

  @Test("an object's observer is told of its own properties only")
  func ofOneObject() async {
    link(.property)
    observatory.run { [observatory, box] realm in
      realm.refresh()
      box.token = realm.objects(AnyLinkHolder.self)[0].observe { change in
        if case .change(_, let properties) = change {
          observatory.tell("\(properties.map(\.name))")
        }
      }
    }
    observatory.writeElsewhere { realm in
      Self.target(0, realm).number = 1
      realm.objects(AnyLinkHolder.self)[0].map["key"] = .int(1)
    }
    #expect(await observatory.next() == "[\"map\"]")
    end()
  }
}
