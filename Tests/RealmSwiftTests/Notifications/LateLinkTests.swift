import RealmSwift
import Synchronization
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

/// Is removed.
final class LateLinkOther: Object {
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

  @Test(
    "of counted links hear of the first nested list, also in the place of a removed class",
    arguments: [false, true])
  func nestedListInThePlaceOfAnother(isRemoved: Bool) async throws {
    let file = TemporaryRealm([LateLinkHolder.self, LateLinkTarget.self, LateLinkOther.self])
    try autoreleasepool {
      let realm = try file.open()
      try realm.write {
        realm.create(LateLinkHolder.self, value: ["id": 1])
        realm.create(LateLinkTarget.self, value: ["id": 2])
      }
    }
    let migrated = Mutex(file.configuration)
    migrated.withLock {
      $0.objectTypes = [LateLinkHolder.self, LateLinkTarget.self]
      $0.schemaVersion = 1
      $0.migrationBlock = { migration, _ in
        if isRemoved { migration.deleteData(forType: LateLinkOther.className()) }
      }
    }
    let box = RealmBox()
    let (told, tell) = AsyncStream<String>.makeStream()
    let observer = LoopThread(name: "observer")
    observer.performAndWait {
      let realm = try! Realm(configuration: migrated.withLock { $0 })
      let linked = realm.objects(LateLinkTarget.self).filter("@links.@count == 1")
      box.token = linked.observe { tell.yield($0.text) }
    }
    var news = told.makeAsyncIterator()
    #expect(await news.next() == "initial")
    let writer = LoopThread(name: "writer")
    writer.performAndWait {
      let realm = try! Realm(configuration: migrated.withLock { $0 })
      try! realm.write {
        let target = realm.objects(LateLinkTarget.self)[0]
        realm.objects(LateLinkHolder.self)[0].any = .fromArray([.object(target)])
      }
    }
    writer.join()
    #expect(await news.next() == "[] [0] []")
    observer.performAndWait { box.token = nil }
    observer.join()
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
