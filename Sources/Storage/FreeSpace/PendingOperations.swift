/// An operation on one region, as a commit has recorded it.
struct RegionOperation {
  var kind: SpaceOperation.Kind
  var run: Region.Run
  /// The version that wrote a freed run.
  var createdIn: Version
  /// The version of the commit.
  var commit: Version
}

/// Operations on regions that have not been read, by region, each region's in the order in which
/// they were recorded.
///
/// The first write of a process keeps thousands of them; so they lie in one array, in which those
/// of a region are linked.
struct PendingOperations {
  private struct Item {
    var operation: RegionOperation
    /// Where the region's next one is; -1: nowhere.
    var next: Int32
  }

  private struct List {
    var first: Int32 = -1
    var last: Int32 = -1
  }

  private var items: ContiguousArray<Item> = []
  private var lists: ContiguousArray<List> = []
  /// How many of the items are in no list any more.
  private var removed = 0
  private let roomMin: Int
  /// With more items than this, those that are of no use are looked for.
  private var roomMax: Int

  init(roomMin: Int = 1 << 16) {
    self.roomMin = roomMin
    roomMax = roomMin
  }

  /// How many operations there are.
  var count: Int { items.count - removed }

  mutating func reserve(operations: Int, regions: Int) {
    items.reserveCapacity(items.count + operations)
    extend(toCover: regions)
  }

  private mutating func extend(toCover regions: Int) {
    guard lists.count < regions else { return }
    lists.append(contentsOf: repeatElement(List(), count: regions - lists.count))
  }

  mutating func append(_ operation: RegionOperation, to region: Int) {
    extend(toCover: region + 1)
    let place = Int32(items.count)
    items.append(Item(operation: operation, next: -1))
    if lists[region].first < 0 {
      lists[region].first = place
    } else {
      items[Int(lists[region].last)].next = place
    }
    lists[region].last = place
  }

  func isEmpty(_ region: Int) -> Bool { region >= lists.count || lists[region].first < 0 }

  func forEach<Failure: Error>(
    in region: Int, _ body: (RegionOperation) throws(Failure) -> Void
  ) throws(Failure) {
    guard region < lists.count else { return }
    var place = lists[region].first
    while place >= 0 {
      let item = items[Int(place)]
      try body(item.operation)
      place = item.next
    }
  }

  /// Forgets a region's operations.
  mutating func remove(_ region: Int) {
    guard !isEmpty(region) else { return }
    forEach(in: region) { _ in removed += 1 }
    lists[region] = List()
    if removed == items.count {
      items.removeAll(keepingCapacity: items.count <= roomMin)
      removed = 0
    }
  }

  /// Lets go of the operations that are of no use any more, when there have become many.
  mutating func prune(where isUseless: (Int, RegionOperation) -> Bool) {
    guard items.count > roomMax else { return }
    var kept = PendingOperations(roomMin: roomMin)
    kept.extend(toCover: lists.count)
    for region in lists.indices {
      forEach(in: region) { operation in
        if !isUseless(region, operation) { kept.append(operation, to: region) }
      }
    }
    kept.roomMax = max(roomMin, kept.items.count * 2)
    self = kept
  }
}
