import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

extension SeededGenerator {
  /// True once in `times`.
  mutating func chance(_ times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }
}

/// Seeds of a test run: always the same ones, and one that changes from run to run.
enum Seeds {
  static func list(_ count: Int) -> [UInt64] {
    Array(1...UInt64(count)) + [UInt64.random(in: 1 << 32..<1 << 62)]
  }
}

extension ScratchStore {
  /// The committed version, as queries see it.
  var view: StoreView {
    get throws { StoreView(source: source, root: root, schema: try schema.description) }
  }
}

/// Two classes with what queries are about: Dog (links to its owner, a list of friends) and Person.
enum Kennel {
  static let dog = TableKey(rawValue: 0)
  static let person = TableKey(rawValue: 1)

  static let schema = SchemaDescription(classes: [
    ClassDescription(
      name: "Dog",
      properties: [
        PropertyDescription(name: "id", kind: .int, isPrimaryKey: true),
        PropertyDescription(name: "name", kind: .string),
        PropertyDescription(name: "nick", kind: .string, isOptional: true, isIndexed: true),
        PropertyDescription(name: "age", kind: .int, isIndexed: true),
        PropertyDescription(name: "weight", kind: .double),
        PropertyDescription(name: "height", kind: .float, isOptional: true),
        PropertyDescription(name: "toys", kind: .int, isOptional: true),
        PropertyDescription(name: "born", kind: .date, isOptional: true, isIndexed: true),
        PropertyDescription(name: "good", kind: .bool),
        PropertyDescription(name: "tag", kind: .uuid),
        PropertyDescription(name: "price", kind: .decimal128),
        PropertyDescription(name: "extra", kind: .any),
        PropertyDescription(name: "scores", kind: .int, collection: .list),
        PropertyDescription(name: "owner", kind: .object, linkTarget: "Person"),
        PropertyDescription(
          name: "friends", kind: .object, collection: .list, linkTarget: "Dog"),
      ]),
    ClassDescription(
      name: "Person",
      properties: [
        PropertyDescription(name: "name", kind: .string),
        PropertyDescription(name: "age", kind: .int, isOptional: true),
        PropertyDescription(name: "boss", kind: .object, linkTarget: "Person"),
      ]),
  ])

  static func column(_ name: String, of table: TableKey = dog) -> ColumnKey {
    // Columns are numbered in the order of the properties in a new file; hidden ones come after.
    stored.description(of: table)!.property(named: name)!.columnKey
  }

  /// The schema as a file has it.
  static let stored: SchemaDescription = {
    let store = try! ScratchStore(length: 1 << 24)
    _ = try! store.write { try $0.apply(schema) }
    return try! store.schema.description
  }()
}

/// A predicate on one property against a constant, shortly.
func compare(
  _ path: String, _ comparison: QueryComparison, _ value: StoredValue,
  _ options: TextOptions = []
) -> QueryPredicate {
  .compare(.path(QueryPath(path)), comparison, .value(value), options: options)
}
