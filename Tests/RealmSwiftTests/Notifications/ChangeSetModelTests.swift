import Foundation
import RealmSwift
import Testing

/// Applies change sets to copies of collections, in the documented order, and compares the copies
/// with the collections.
@Suite struct ChangeSetModelTests {
  /// What an observer knows of a collection. Used on the observing thread.
  private final class Copy: @unchecked Sendable {
    let name: String
    var ages: [Int] = []
    var ids: [Int] = []
    var token: NotificationToken?

    init(_ name: String) { self.name = name }

    func apply<C: RealmCollection>(_ change: RealmCollectionChange<C>, _ comment: Comment)
    where C.Element == ModelTests.Node {
      switch change {
      case .initial(let nodes):
        ids = nodes.map(\.id)
        ages = nodes.map(\.age)
      case .update(let nodes, let deletions, let insertions, let modifications):
        for index in deletions.reversed() {
          ids.remove(at: index)
          ages.remove(at: index)
        }
        for index in insertions {
          ids.insert(nodes[index].id, at: index)
          ages.insert(nodes[index].age, at: index)
        }
        for index in modifications { ages[index] = nodes[index].age }
        #expect(ids == nodes.map(\.id), comment)
        #expect(ages == nodes.map(\.age), comment)
      case .error(let error): Issue.record("\(name): \(error)")
      }
    }
  }

  @Test func changeSetsReproduceCollections() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("change set seed \(seed)")
    var generator = SplitMix(state: seed)
    let file = TemporaryRealm([ModelTests.Node.self])
    let thread = LoopThread(name: "observer")
    defer { thread.join() }
    let copies = ["all", "old", "sorted", "friends"].map { Copy($0) }
    let realm = try file.open()
    try realm.write { realm.create(ModelTests.Node.self, value: ["id": -1]) }
    thread.performAndWait {
      let realm = try! file.open()
      let nodes = realm.objects(ModelTests.Node.self)
      let comment: Comment = "seed \(seed)"
      copies[0].token = nodes.observe { copies[0].apply($0, comment) }
      copies[1].token = nodes.where { $0.age > 30 }.observe { copies[1].apply($0, comment) }
      copies[2].token = nodes.sorted(by: \.age).observe { copies[2].apply($0, comment) }
      copies[3].token = nodes[0].friends.observe { copies[3].apply($0, comment) }
    }
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        try realm.write {
          for _ in 0..<Int.random(in: 1...6, using: &generator) { change(realm, &generator) }
        }
      }
      // A turn that refreshes and delivers; the commits above may have made one already.
      thread.performAndWait { _ = try! file.open().refresh() }
    }
    thread.performAndWait {
      let realm = try! file.open()
      #expect(copies[0].ids == realm.objects(ModelTests.Node.self).map(\.id), "seed \(seed)")
      for copy in copies { copy.token = nil }
    }
  }

  private func change(_ realm: Realm, _ generator: inout SplitMix) {
    let id = Int.random(in: 0..<20, using: &generator)
    let age = Int.random(in: 0..<60, using: &generator)
    let friends = realm.object(ofType: ModelTests.Node.self, forPrimaryKey: -1)!.friends
    guard let node = realm.object(ofType: ModelTests.Node.self, forPrimaryKey: id) else {
      friends.append(realm.create(ModelTests.Node.self, value: ["id": id, "age": age]))
      return
    }
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: realm.delete(node)
    case 1: friends.insert(node, at: Int.random(in: 0...friends.count, using: &generator))
    case 2 where !friends.isEmpty:
      friends.remove(at: Int.random(in: 0..<friends.count, using: &generator))
    case 3 where friends.count > 1: friends.move(from: 0, to: friends.count - 1)
    default: node.age = age
    }
  }
}
