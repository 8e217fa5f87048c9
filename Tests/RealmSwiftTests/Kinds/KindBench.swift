import Foundation
import RealmSwift
import Testing

/// One type of property, and what is done with it.
struct KindBench<Value: KindValue>: Sendable {
  typealias Box = KindBox<Value>
  typealias Operation = @Sendable (KindBench) async throws -> Void

  var file = TemporaryRealm([KindBox<Value>.self])
  var samples: [Value] { Value.samples }

  /// Everything that is done with every kind.
  static var operations: [(name: String, body: Operation)] {
    [
      ("default", { try $0.defaults() }), ("set", { try $0.settings() }),
      ("nil", { try $0.nils() }), ("read back", { try $0.readBack($0.file) }),
      ("encrypted", { try $0.readBack($0.encrypted()) }),
      ("created", { try $0.created() }), ("by name", { try $0.byName() }),
      ("query", { try $0.queries() }), ("query nil", { try $0.nilQueries() }),
      ("list", { try $0.lists() }), ("set of", { try $0.sets() }), ("map", { try $0.maps() }),
      ("unmanaged", { try $0.unmanagedCollections() }),
      ("sorted", { try $0.sorting() }), ("aggregated", { try $0.aggregates() }),
      ("frozen", { try $0.freezing() }), ("threads", { try $0.threads() }),
      ("migrated", { try $0.migrating() }), ("copied", { try $0.copying() }),
      ("in JSON", { try $0.coding() }), ("in any", { try $0.inAnyRealmValue() }),
      ("observed", { try await $0.observing() }),
    ]
  }

  /// Does all of it; says how many operations there were.
  static func run() async -> Int {
    for (name, body) in operations {
      do {
        try await body(KindBench())
      } catch {
        Issue.record("\(Value.self), \(name): \(error)")
      }
    }
    return operations.count
  }

  func check(
    _ condition: Bool, _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(condition, "\(Value.self) \(what)", sourceLocation: sourceLocation)
  }

  /// A realm with a box for each sample, numbered from zero.
  func filled(_ file: TemporaryRealm? = nil) throws -> Realm {
    let realm = try (file ?? self.file).open()
    try realm.write {
      for (id, value) in samples.enumerated() { realm.add(Box(id, value)) }
    }
    return realm
  }

  /// Whether the realm has what `filled` made.
  func isWhole(_ realm: Realm) -> Bool {
    let boxes = realm.objects(Box.self)
    return boxes.count == samples.count
      && samples.enumerated().allSatisfy { id, value in
        realm.object(ofType: Box.self, forPrimaryKey: id)?.holds(value) == true
      }
  }

  /// The same kind in a file with a key.
  private func encrypted() -> TemporaryRealm {
    TemporaryRealm([Box.self], key: Data(repeating: 9, count: 64))
  }
}
