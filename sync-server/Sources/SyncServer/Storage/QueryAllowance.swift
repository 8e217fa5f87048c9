import SyncProtocol

/// How many rows the queries of one request may look at: some, and more the more objects there are.
/// A query that follows lists from object to object could look at as many as there are ways.
struct QueryAllowance {
  /// What is left.
  var rows: Int
  private var granted = 0

  init(rows: Int) { self.rows = rows }

  /// A query of a class with so many objects is about to be evaluated. There is enough for any number
  /// of scans, and for a few queries that look at some other objects for each of these.
  mutating func add(objects count: Int) {
    rows += count >> 4 + 1
    let wanted = 8 * count
    if wanted > granted { rows += wanted - granted }
    granted = max(granted, wanted)
  }
}

extension Subscription {
  /// What a client is told if the query looks at too many rows.
  var tooCostly: Text {
    let text = query.string.count > 200 ? query.string.prefix(200) + "..." : query.string[...]
    return Text("The query '\(text)' of '\(type.string)' looks at too many objects.")
  }
}
