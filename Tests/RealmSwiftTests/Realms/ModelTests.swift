import Foundation
import RealmSwift
import TestSupport
import Testing

/// Random changes through the public interface against a plain model, with rollbacks, reopening,
/// frozen versions and a second instance that follows by refreshing.
@Suite struct ModelTests {
  /// What an object should hold.
  struct Row: Equatable, Sendable {
    var name: String
    var age: Int
    var favourite: Int?
    var friends: [Int] = []
  }

  typealias Model = [Int: Row]

  final class Node: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int
    @Persisted var favourite: Node?
    @Persisted var friends: List<Node>
    @Persisted(originProperty: "friends") var befriendedBy: LinkingObjects<Node>
  }

  static let operations =
    Int(ProcessInfo.processInfo.environment["HOLDFAST_MODEL_OPERATIONS"] ?? "") ?? 4_000

  @Test func randomChangesMatchAModel() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("model seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let file = TemporaryRealm([Node.self])
    let follower = LoopThread(name: "follower")
    defer { follower.join() }
    var realm: Realm? = try file.open()
    var model: Model = [:]
    var frozen: [(Realm, Model)] = []
    var left = Self.operations
    while left > 0 {
      let count = Int.random(in: 1...40, using: &generator)
      left -= count
      let before = model
      realm!.beginWrite()
      for _ in 0..<count { Self.change(realm!, &model, &generator) }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        realm!.cancelWrite()
        model = before
      } else {
        try realm!.commitWrite()
      }
      Self.check(realm!, model, "seed \(seed)")
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: frozen.append((realm!.freeze(), model))
      case 1 where !frozen.isEmpty:
        let (old, oldModel) = frozen.remove(at: Int.random(in: 0..<frozen.count, using: &generator))
        Self.check(old, oldModel, "frozen, seed \(seed)")
      case 2:
        realm = nil
        realm = try file.open()
        Self.check(realm!, model, "reopened, seed \(seed)")
      case 3:
        follower.performAndWait { [model] in
          let other = try! file.open()
          other.refresh()
          Self.check(other, model, "follower, seed \(seed)")
        }
      default: break
      }
    }
  }

  private static func change(
    _ realm: Realm, _ model: inout Model, _ generator: inout SeededGenerator
  ) {
    let id = Int.random(in: 0..<60, using: &generator)
    let other = Int.random(in: 0..<60, using: &generator)
    guard let node = realm.object(ofType: Node.self, forPrimaryKey: id) else {
      let row = Row(name: "node \(other)", age: other)
      model[id] = row
      realm.create(Node.self, value: ["id": id, "name": row.name, "age": row.age])
      return
    }
    let target = realm.object(ofType: Node.self, forPrimaryKey: other)
    switch Int.random(in: 0..<9, using: &generator) {
    case 0, 1:
      let age = Int.random(in: -70_000...70_000, using: &generator)
      node.age = age
      model[id]!.age = age
    case 2:
      let name = String(repeating: "ä", count: Int.random(in: 0..<400, using: &generator))
      node.name = name
      model[id]!.name = name
    case 3:
      node.favourite = target
      model[id]!.favourite = target?.id
    case 4, 5:
      guard let target else { return }
      let index = Int.random(in: 0...node.friends.count, using: &generator)
      node.friends.insert(target, at: index)
      model[id]!.friends.insert(other, at: index)
    case 6 where !node.friends.isEmpty:
      let index = Int.random(in: 0..<node.friends.count, using: &generator)
      node.friends.remove(at: index)
      model[id]!.friends.remove(at: index)
    case 7 where !node.friends.isEmpty:
      let from = Int.random(in: 0..<node.friends.count, using: &generator)
      let to = Int.random(in: 0..<node.friends.count, using: &generator)
      node.friends.move(from: from, to: to)
      model[id]!.friends.insert(model[id]!.friends.remove(at: from), at: to)
    case 8 where other % 3 == 0:
      realm.delete(node)
      model[id] = nil
      for key in model.keys {
        model[key]!.friends.removeAll { $0 == id }
        if model[key]!.favourite == id { model[key]!.favourite = nil }
      }
    default: break
    }
  }

  private static func check(_ realm: Realm, _ model: Model, _ comment: Comment) {
    let nodes = realm.objects(Node.self)
    var found: Model = [:]
    for node in nodes {
      found[node.id] = Row(
        name: node.name, age: node.age, favourite: node.favourite?.id,
        friends: node.friends.map(\.id))
    }
    #expect(found == model, comment)
    #expect(nodes.count == model.count, comment)
    let old = nodes.where { $0.age > 30 }.sorted(byKeyPath: "id").map(\.id)
    #expect(Array(old) == model.filter { $0.value.age > 30 }.keys.sorted(), comment)
    for node in nodes.prefix(3) {
      let expected = model.reduce(0) { sum, entry in
        sum + entry.value.friends.count { $0 == node.id }
      }
      #expect(node.befriendedBy.count == expected, comment)
      let same = model.values.count { $0.name == node.name }
      #expect(nodes.where { $0.name == node.name }.count == same, comment)
    }
  }
}
