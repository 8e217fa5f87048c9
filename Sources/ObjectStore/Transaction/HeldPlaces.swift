import Platform
import Storage

/// A collection of an object, and a class that its elements link to.
struct HolderName: Hashable {
  var owner: TableKey
  var column: ColumnKey
  var object: ObjectKey
  var target: TableKey
}

/// Where objects stand in a map, or in a list of values of any kind: for transactions that delete
/// many of them one by one.
///
/// Such a collection is in no order of the objects, so each of them has to be looked for. Elements
/// become null when their object goes, and all others keep their places; so once looking has cost
/// as much as finding all places at once does, that is done. What is found so is compared with the
/// collection as it is, which may have been changed otherwise.
struct HeldPlaces {
  private struct Entry: Comparable {
    var target: ObjectKey
    var index: Int

    static func < (left: Entry, right: Entry) -> Bool {
      (left.target, left.index) < (right.target, right.index)
    }
  }

  /// Sorting costs that many times what a look at each element does.
  private static let passes = 48
  /// Shorter ones are always gone through.
  static let countMin = 1024

  /// Elements that were looked at.
  private var looked = 0
  private var entries: [Entry]?

  /// Where the elements stand that refer to the objects of `links`, which are in order of these: as
  /// many as there are links. Throws if there are others in number.
  mutating func indexes(
    of links: ArraySlice<ListedLink>, in list: ListView, _ table: TableKey
  ) throws(StorageError) -> [Int] {
    if entries == nil, looked / Self.passes >= list.count {
      entries = try Self.entries(list, table)
    }
    if let known = try known(links, in: list, table) { return known }
    // They have moved. Finding all of them again is worth it once looking has cost as much again.
    if entries != nil { (entries, looked) = (nil, 0) }
    let found = try list.indexes(of: links, in: table)
    looked += (found.last ?? 0) + 1
    return found
  }

  /// What the entries say, if that is so.
  private func known(
    _ links: ArraySlice<ListedLink>, in list: ListView, _ table: TableKey
  ) throws(StorageError) -> [Int]? {
    guard let entries else { return nil }
    var found: [Int] = []
    var last: ObjectKey?
    for link in links where link.target != last {
      last = link.target
      var place = entries.indices.partitionPoint { entries[$0].target < link.target }
      while place < entries.count, entries[place].target == link.target {
        let index = entries[place].index
        guard index < list.count, try list.value(at: index) == .link(table, link.target) else {
          return nil
        }
        found.append(index)
        place += 1
      }
    }
    return found.count == links.count ? found.sorted() : nil
  }

  private static func entries(
    _ list: ListView, _ table: TableKey
  ) throws(StorageError) -> [Entry] {
    var entries: [Entry] = []
    var leaves = list.leaves()
    while let (vector, start) = try leaves.next() {
      for row in 0..<vector.count {
        guard let target = try list.target(vector, row, in: table) else { continue }
        entries.append(Entry(target: target, index: start + row))
      }
    }
    entries.sort()
    return entries
  }
}
