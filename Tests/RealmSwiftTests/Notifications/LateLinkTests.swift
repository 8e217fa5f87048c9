import RealmSwift
import Testing

/// Holds values of any kind, and numbers.
final class LateLinkHolder: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var any: AnyRealmValue
  @Persisted var numbers: List<Double>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// May be linked to.
final class LateLinkTarget: Object {
  @Persisted(primaryKey: true) var id: Int
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("observers") struct LateLinkTests {
  let observatory = Observatory([LateLinkHolder.self, LateLinkTarget.self])

  @Test("of counted links hear of links from a class that the file had not when they began")
  func linkFromTheFirstNestedList() async {
    let box = RealmBox()
    observatory.writeElsewhere { realm in
      realm.create(LateLinkHolder.self, value: ["id": 1])
      for id in 0..<5 { realm.create(LateLinkTarget.self, value: ["id": id]) }
    }
    observatory.run { [observatory] realm in
      let linked = realm.objects(LateLinkTarget.self).filter("@links.@count == 1")
      box.token = linked.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    // The hidden class of lists among values of any kind comes with the first of them.
    observatory.writeElsewhere { realm in
      let target = realm.objects(LateLinkTarget.self)[4]
      realm.objects(LateLinkHolder.self)[0].any = .fromArray([.object(target)])
    }
    #expect(await observatory.next() == "[] [0] []")
    observatory.run { _ in box.token = nil }
  }

  @Test("of a sorted list are told that a zero has become a negative one")
  func negativeZero() async {
    let box = RealmBox()
    observatory.writeElsewhere { realm in
      realm.create(LateLinkHolder.self, value: ["id": 1, "numbers": [0.0]])
    }
    observatory.run { [observatory] realm in
      let sorted = realm.objects(LateLinkHolder.self)[0].numbers.sorted(ascending: true)
      box.token = sorted.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      let numbers = realm.objects(LateLinkHolder.self)[0].numbers
      numbers[0] = -0.0
      numbers.append(1)
    }
    #expect(await observatory.next() == "[0] [0, 1] []")
    observatory.run { _ in box.token = nil }
  }
}
