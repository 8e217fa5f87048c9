import Foundation
import ObjectStore
@_spi(Files) import RealmSwift
import ServerKit
import SyncProtocol
import Testing

@testable import SyncServer

/// Queries that clients send, without a server around them.
@Suite struct QueryTests {
  private static let schema: SchemaDescription = {
    var types = Schema()
    _ = types.add(Device.classes, extending: true)
    return RealSchema.wanted(types)
  }()

  private func predicate(_ text: String) throws -> QueryPredicate {
    try FilePredicate(text, className: "Task", schema: Self.schema) { _, _ in nil }.predicate
  }

  private func reach(_ text: String) throws -> LinkReach {
    try predicate(text).reach(LinkNames(Self.schema))
  }

  @Test(arguments: [
    ("owner == 'a'", "owner", 1), ("'a' == owner", "owner", 1), ("owner IN {'a', 'b'}", "owner", 2),
    ("priority > 1 AND owner == 'a'", "owner", 1), ("_id == 5", "_id", 1),
  ])
  func equalityIsLookedUp(text: String, property: String, count: Int) throws {
    let term = try #require(try predicate(text).equalityTerm)
    #expect(term.property == property && term.values.count == count)
  }

  @Test(arguments: [
    "owner != 'a'", "owner ==[c] 'a'", "owner == 'a' OR priority == 1", "NOT owner == 'a'",
    "project.name == 'a'", "priority == 1.5", "ANY tags == 'a'", "TRUEPREDICATE",
  ])
  func othersAreNot(text: String) throws {
    let term = try predicate(text).equalityTerm
    #expect(term == nil || term?.property == "tags")
  }

  @Test func otherObjectsAreNoticed() throws {
    for text in [
      "project.name == 'a'", "ANY parts.weight > 1",
      "SUBQUERY(parts, $p, $p.weight > 1).@count > 0",
      // Whether the object is there.
      "project == nil", "value == nil", "project.@count == 1",
    ] {
      #expect(try reach(text) == LinkReach(distance: 1), "\(text)")
    }
    for text in ["owner == 'a'", "tags.@count > 1", "ANY tags == 'b'", "value == 7"] {
      #expect(try !reach(text).isBeyondObject, "\(text)")
    }
    #expect(try reach("@links.Task.project.@count > 0").looksBack)
  }

  /// Whatever a client sends as a query is a query or an error.
  @Test func nonsenseIsRefused() throws {
    let words = [
      "owner", "priority", "project", "project.name", "tags", "parts", "notes", "marks", "nothing",
      "==", "!=", "<", ">=", "IN", "CONTAINS", "LIKE", "BEGINSWITH", "BETWEEN", "MATCHES", "TEXT",
      "AND", "OR", "NOT", "ANY", "ALL", "NONE", "(", ")", "{", "}", "[", "]", ",", "+", "-", "*",
      "/",
      "1", "1.5", "-9223372036854775808", "1e400", "'a'", "\"b\"", "'\\", "nil", "TRUE", "$0", "%@",
      "SUBQUERY", "SUBQUERY(parts, $p, $p.weight > 1).@count", "@count", ".@sum", ".@max.weight",
      "@links.Task.project", "obj('Project', 'x')", "oid(0123456789abcdef01234567)", "uuid(1)",
      "geoBox", "[c]", "[FIRST]", "['a']", "[0]", "[SIZE]", ".@type", "'string'", "SORT(owner ASC)",
      "LIMIT(1)", "b64\"AAA=\"", "T1:2", "NaN", "{1, 'a', nil}", "😀", "\u{0}",
    ]
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("queries-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var core = try ServerCore(
      storage: AppStorage(path: folder.path + "/data.realm"), isSchemaOpen: true)
    #expect(core.addClasses(Device.classes) == [])
    try core.flush()
    var random = SystemRandomNumberGenerator()
    var good = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...9, using: &random)
      let text = (0..<count).map { _ in words.randomElement(using: &random)! }
        .joined(separator: Bool.random(using: &random) ? " " : "")
      let subscription = Subscription(type: Device.task, query: Text(text))
      guard core.storage.problem(of: subscription) == nil else { continue }
      #expect(try core.storage.objects(selectedBy: subscription) == [])
      good += 1
    }
    #expect(good > 0)
  }
}
