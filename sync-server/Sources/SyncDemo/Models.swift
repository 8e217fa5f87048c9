import RealmSwift

/// A line of a shopping list that several devices edit.
final class Entry: Object {
  @Persisted(primaryKey: true) var _id: String
  @Persisted var title: String
  @Persisted var count: Int
  @Persisted var notes: List<String>

  /// All of it, on one line.
  var line: String { "\(_id) \(title) \(count) \(Array(notes))" }
}

/// What all processes and the server agree on.
enum Account {
  static let app = "demo"
  static let email = "ada@example.com"
  static let password = "difference engine"
}
