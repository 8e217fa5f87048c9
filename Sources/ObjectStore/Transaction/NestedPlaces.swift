import Storage

/// Where nested collections were last seen in the lists and maps that hold them: so that the
/// history of one that changes does not look through all of what holds it.
///
/// What is kept are guesses, a few hundred of the latest; whoever uses one looks whether it holds.
/// A realm keeps them from transaction to transaction. Confined like the realm.
package final class NestedPlaces {
  private struct Entry {
    var table: TableKey
    var object: ObjectKey
    var index: Int
  }

  private static let count = 256
  private var entries: [Entry?] = []

  package init() {}

  /// Notes where a value was read; of those that are links.
  @inline(__always)
  package func note(_ value: StoredValue, at index: Int) {
    guard case .link(let table, let object) = value else { return }
    note(object, of: table, at: index)
  }

  func note(_ object: ObjectKey, of table: TableKey, at index: Int) {
    if entries.isEmpty { entries = Array(repeating: nil, count: Self.count) }
    entries[Self.slot(object)] = Entry(table: table, object: object, index: index)
  }

  private static func slot(_ object: ObjectKey) -> Int {
    Int(truncatingIfNeeded: object.rawValue) & (count - 1)
  }

  /// Where the collections stand in the list, in order; nil if that is not known of all.
  func places(
    of members: [ObjectKey], of table: TableKey, in list: ListView
  ) throws(StorageError) -> [Int]? {
    if entries.isEmpty { return nil }
    var places: [Int] = []
    for member in members {
      guard let entry = entries[Self.slot(member)], entry.object == member, entry.table == table,
        entry.index < list.count, try list.value(at: entry.index) == .link(table, member)
      else { return nil }
      places.append(entry.index)
    }
    return places.sorted()
  }
}
