import Storage

/// A predicate on a plain column of an object at the end of links to one object each.
final class LinkedNode: PredicateNode {
  private let links: [ColumnInfo]
  private let end: any PredicateNode
  /// What a link to nothing gives: what the predicate gives for null.
  private let holdsForNull: Bool
  var cost: Int { 200 * links.count + end.cost }

  /// - Parameters:
  ///   - links: at least one.
  ///   - end: for objects of the table that the last of them goes to.
  init(_ links: [ColumnInfo], _ end: any PredicateNode, holdsForNull: Bool) {
    self.links = links
    self.end = end
    self.holdsForNull = holdsForNull
  }

  func select(
    _ rows: ClusterRows, _ candidates: Selection
  ) throws(StorageError) -> Selection {
    let vector = try rows.cluster.vector(links[0].key, of: .object, in: rows.context.source)
    var found = Selection.none
    try rows.context.spend(candidates.count * links.count)
    try candidates.forEach { (row) throws(StorageError) in
      if try follow(vector.integer(row), rows.context) { found.insert(row) }
    }
    return found
  }

  func holds(_ rows: ClusterRows, _ row: Int) throws(StorageError) -> Bool {
    try rows.context.spend(links.count)
    let vector = try rows.cluster.vector(links[0].key, of: .object, in: rows.context.source)
    return try follow(vector.integer(row), rows.context)
  }

  /// - Parameter link: as the first link's column holds it: 0 for none, else the key plus one.
  private func follow(
    _ link: Int64, _ context: EvaluationContext
  ) throws(StorageError) -> Bool {
    var link = link
    for index in links.indices {
      guard link != 0, let table = try context.table(links[index].target),
        let position = try table.find(ObjectKey(rawValue: link &- 1))
      else { return holdsForNull }
      if index + 1 == links.count {
        let rows = ClusterRows(context: context, table: table, cluster: position.cluster)
        return try end.holds(rows, position.row)
      }
      link = try table.int(links[index + 1].key, at: position)
    }
    return holdsForNull
  }
}
