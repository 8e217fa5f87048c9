import ObjectStore
import Platform
import Storage

/// The cancelled transactions of one realm instance that made objects: these must stay invalid,
/// though their keys are used again.
struct CancelledWrites {
  private struct Write {
    var generations: ClosedRange<UInt64>
    /// The first key that each table handed out.
    var firstNewKeys: [TableKey: ObjectKey]
    let base: Version
  }

  /// In the order of their generations.
  private var writes: [Write] = []

  var isEmpty: Bool { writes.isEmpty }
  var count: Int { writes.count }

  /// - Parameters:
  ///   - generations: of the instance, while the transaction was open.
  ///   - base: the version that the transaction was built on.
  mutating func add(
    _ generations: ClosedRange<UInt64>, firstNewKeys: [TableKey: ObjectKey], base: Version
  ) {
    if firstNewKeys.isEmpty { return }
    guard let last = writes.last, last.base == base else {
      writes.append(Write(generations: generations, firstNewKeys: firstNewKeys, base: base))
      return
    }
    // Nobody has committed in between, so both handed out the same keys, and what was seen between
    // them was there before either.
    let position = writes.count - 1
    writes[position].generations = last.generations.lowerBound...generations.upperBound
    writes[position].firstNewKeys.merge(firstNewKeys, uniquingKeysWith: min)
  }

  /// Whether an object last seen in `generation` was made by one of them.
  func made(_ table: TableKey, _ key: ObjectKey, _ generation: UInt64) -> Bool {
    let place = writes.indices.partitionPoint { writes[$0].generations.upperBound < generation }
    guard place < writes.count, writes[place].generations.contains(generation),
      let first = writes[place].firstNewKeys[table]
    else { return false }
    return key >= first
  }
}
