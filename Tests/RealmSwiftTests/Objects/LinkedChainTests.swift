import Foundation
import RealmSwift
import Synchronization
import Testing

final class ChainLink: Object {
  @Persisted var number: Int
  @Persisted var next: ChainLink?
  @Persisted var others: List<ChainLink>
}

final class KeyedLink: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var next: KeyedLink?
}

final class AnyLink: Object {
  @Persisted var any: AnyRealmValue
  @Persisted var list: List<AnyLink>
  @Persisted var map: Map<String, AnyLink?>

  /// Those that still had what they hold when they were freed.
  static let freed = Mutex(0)

  deinit {
    let held = [any.object(AnyLink.self), list.first, map["next"] ?? nil].count { $0 != nil }
    Self.freed.withLock { [held] in $0 += held > 0 ? 1 : 0 }
  }
}

/// Graphs of any depth, on a stack of half a megabyte.
@Suite struct LinkedChainTests {
  let file = TemporaryRealm([ChainLink.self, KeyedLink.self])
  private static let length = 100_000

  /// Runs the body on a thread with a small stack.
  private func onSmallStack(_ body: @escaping @Sendable (Realm) throws -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread { [file] in
      try! body(try! file.open())
      isDone.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    isDone.wait()
  }

  private static func chain() -> ChainLink {
    var first: ChainLink?
    for number in (0..<length).reversed() {
      let link = ChainLink()
      link.number = number
      link.next = first
      first = link
    }
    return first!
  }

  private static func check(_ realm: Realm) {
    #expect(realm.objects(ChainLink.self).count == length)
    var link = realm.objects(ChainLink.self).where { $0.number == 0 }.first
    var expected = 0
    while let current = link {
      if current.number != expected { break }
      expected += 1
      link = current.next
    }
    #expect(expected == length)
  }

  @Test func aChainIsAdded() {
    onSmallStack { realm in
      let chain = Self.chain()
      try realm.write { realm.add(chain) }
      Self.check(realm)
    }
  }

  @Test func aChainIsSetAsAPropertyAndAppendedToAList() {
    onSmallStack { realm in
      let (chain, other) = (Self.chain(), Self.chain())
      try realm.write {
        let start = realm.create(ChainLink.self, value: ["number": -1])
        start.next = chain
        start.others.append(other)
      }
      #expect(realm.objects(ChainLink.self).count == 2 * Self.length + 1)
      let start = realm.objects(ChainLink.self).where { $0.number == -1 }.first!
      #expect(start.next?.next?.number == 1 && start.others.first?.next?.number == 1)
    }
  }

  @Test func aChainOfKeyedObjectsIsUpdated() {
    onSmallStack { realm in
      func chain(_ name: String) -> KeyedLink {
        var first: KeyedLink?
        for id in (0..<5000).reversed() {
          let link = KeyedLink()
          link.id = id
          link.name = name
          link.next = first
          first = link
        }
        return first!
      }
      try realm.write { realm.add(chain("old")) }
      try realm.write { realm.add(chain("new"), update: .modified) }
      let all = realm.objects(KeyedLink.self)
      #expect(all.count == 5000 && all.where { $0.name == "new" }.count == 5000)
      #expect(all.allSatisfy { $0.next?.id == ($0.id == 4999 ? nil : $0.id + 1) })
    }
  }

  @Test func aChainOfAnotherRealmIsCopied() {
    let other = TemporaryRealm([ChainLink.self])
    onSmallStack { realm in
      let chain = Self.chain()
      let source = try other.open()
      try source.write { source.add(chain) }
      try realm.write { _ = realm.create(ChainLink.self, value: chain) }
      Self.check(realm)
    }
  }

  @Test func aChainIsDeletedAndDescribed() {
    onSmallStack { realm in
      let chain = Self.chain()
      try realm.write { realm.add(chain) }
      #expect(chain.description.contains("Maximum depth exceeded"))
      try realm.write { realm.delete(realm.objects(ChainLink.self)) }
      #expect(realm.isEmpty)
    }
  }

  @Test func aChainWithoutARealmIsFreed() {
    onSmallStack { _ in
      _ = Self.chain()
      var first = AnyLink()
      for number in 0..<Self.length {
        let link = AnyLink()
        switch number % 3 {
        case 0: link.any = .object(first)
        case 1: link.list.append(first)
        default: link.map["next"] = first
        }
        first = link
      }
    }
    #expect(AnyLink.freed.withLock { $0 } == Self.length)
  }

  @Test func aClassMayReadItsPropertiesWhenOneIsFreed() throws {
    let realm = try TemporaryRealm([AnyLink.self]).open()
    try realm.write { realm.create(AnyLink.self, value: ["any": 7]) }
    #expect(realm.objects(AnyLink.self).map(\.any) == [.int(7)])
  }

  @Test func aCircleIsAdded() throws {
    let realm = try file.open()
    let links = (0..<100).map { ChainLink(value: ["number": $0]) }
    for (index, link) in links.enumerated() {
      link.next = links[(index + 1) % links.count]
      link.others.append(objectsIn: links)
    }
    try realm.write { realm.add(links[50]) }
    #expect(realm.objects(ChainLink.self).count == 100)
    #expect(links.allSatisfy { $0.next?.number == ($0.number + 1) % 100 && $0.others.count == 100 })
  }
}
