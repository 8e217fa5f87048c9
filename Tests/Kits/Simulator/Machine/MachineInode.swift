import Platform
import TestSupport

/// A file of a simulated machine: its page cache, what the disk has for certain, and what may have
/// reached the disk or not.
@safe final class MachineInode {
  let number: UInt64
  var linkCount: UInt64 = 1
  /// The step at which the file lost its name.
  var orphanedAt = Int.max
  /// The page cache, in a reservation that never moves; every process maps this memory.
  let cache: UnsafeMutableRawPointer
  private(set) var size = 0
  /// What the disk has for certain.
  private(set) var durable: [UInt8] = []
  /// What has been done since, in order.
  private(set) var pending: [CrashPlan.Operation] = []
  /// How many operations have been taken from the front of `pending`.
  private(set) var settled = 0
  /// Pages that a failed flush has marked clean although the disk has something else.
  private(set) var droppedPages: Set<Int> = []
  /// The versions of the durable slots that have been written since the machine or the container
  /// was started or a flush failed, by their places.
  var slotsOfThisBoot: [Int: UInt64] = [:]
  /// Counts flushes that have failed: every open description hears of each of them once.
  var failures = 0
  var failuresHeard = 0
  var locks: [UInt64: [(owner: Int, kind: LockKind)]] = [:]

  static let reservation = 1 << 25
  static let pageSize = 4096

  init(number: UInt64) {
    self.number = number
    do { unsafe cache = try AnonymousMemory.map(length: Self.reservation) } catch {
      preconditionFailure("no memory for a simulated file: \(error)")
    }
  }

  /// Gives the memory back although threads that were killed refer to the file for good.
  func dispose() {
    unsafe AnonymousMemory.unmap(cache, length: Self.reservation)
    (durable, pending, locks, droppedPages) = ([], [], [:], [])
  }

  func install(_ bytes: [UInt8]) {
    show(bytes)
    durable = bytes
    (pending, droppedPages) = ([], [])
  }

  /// Makes the page cache hold `bytes`.
  private func show(_ bytes: [UInt8]) {
    precondition(bytes.count <= Self.reservation, "a simulated file is too large")
    unsafe bytes.withUnsafeBytes { source in
      if let start = source.baseAddress {
        unsafe cache.copyMemory(from: start, byteCount: bytes.count)
      }
    }
    if size > bytes.count { clear(from: bytes.count, to: size) }
    size = bytes.count
  }

  private func clear(from start: Int, to end: Int) {
    unsafe (cache + start).initializeMemory(as: UInt8.self, repeating: 0, count: end - start)
  }

  // MARK: Changes

  func store(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard unsafe !bytes.isEmpty, let start = bytes.baseAddress else { return }
    precondition(offset + bytes.count <= Self.reservation, "a simulated file is too large")
    unsafe (cache + offset).copyMemory(from: start, byteCount: bytes.count)
    size = max(size, offset + bytes.count)
    unsafe pending.append(.write(offset: offset, bytes: bytesCopied(from: bytes)))
    dirty(offset, bytes.count)
  }

  /// A page that is written to is written back as a whole, with what an earlier flush had dropped.
  private func dirty(_ offset: Int, _ count: Int) {
    guard !droppedPages.isEmpty else { return }
    for page in offset / Self.pageSize...(offset + count - 1) / Self.pageSize
    where droppedPages.remove(page) != nil {
      let start = page * Self.pageSize
      let bytes = unsafe UnsafeRawBufferPointer(
        start: cache + start, count: min(Self.pageSize, max(0, size - start)))
      unsafe pending.append(.write(offset: start, bytes: bytesCopied(from: bytes)))
    }
  }

  func punch(from start: Int, to end: Int) {
    clear(from: start, to: end)
    pending.append(.write(offset: start, bytes: [UInt8](repeating: 0, count: end - start)))
    dirty(start, end - start)
  }

  func resize(to newSize: Int) {
    if newSize < size { clear(from: newSize, to: size) }
    size = newSize
    pending.append(.resize(newSize))
  }

  // MARK: Flushes

  /// The number of the next operation, for `flush(upTo:)`.
  var end: Int { settled + pending.count }

  /// Everything before the operation with this number is on the disk.
  func flush(upTo end: Int) {
    guard end > settled else { return }
    let count = end - settled
    for operation in pending[..<count] { operation.apply(to: &durable) }
    pending.removeFirst(count)
    settled = end
  }

  /// What a flush that fails leaves: some of the sectors have arrived, the pages count as clean,
  /// and hold what was written until they are read again.
  func drop(arriving: (Int) -> Bool) {
    let plan = CrashPlan(base: durable, operations: pending)
    let sectors = plan.sectors
    let chosen = sectors.indices.filter(arriving)
    durable = plan.image(chosen: chosen, of: sectors, size: size)
    for sector in sectors { droppedPages.insert(sector.offset / Self.pageSize) }
    settled += pending.count
    pending = []
    // What a slot names may be gone, and then it is written over.
    slotsOfThisBoot = [:]
    failures += 1
  }

  /// A page that counts as clean is read from the disk again.
  func readAgain(_ page: Int) {
    guard droppedPages.remove(page) != nil else { return }
    let start = page * Self.pageSize
    slotsOfThisBoot[start] = nil
    let end = min(start + Self.pageSize, size)
    guard start < end else { return }
    clear(from: start, to: end)
    let known = min(end, durable.count)
    guard start < known else { return }
    unsafe durable.withUnsafeBytes { source in
      unsafe (cache + start).copyMemory(from: source.baseAddress! + start, byteCount: known - start)
    }
  }

  /// The disk is what a power loss left, and the cache is read from it.
  func lose(to image: [UInt8]) {
    settled += pending.count
    install(image)
    locks = [:]
  }

  /// The machine was shut down in good order.
  func settleAll() {
    flush(upTo: end)
    lose(to: durable)
  }

  var plan: CrashPlan { CrashPlan(base: durable, operations: pending) }

  // MARK: Locks

  func isExcluded(_ byte: UInt64, _ kind: LockKind, for owner: Int) -> Bool {
    guard let holders = locks[byte] else { return false }
    return holders.contains {
      $0.owner != owner && (kind == .exclusive || $0.kind == .exclusive)
    }
  }

  func release(_ byte: UInt64, of owner: Int) {
    locks[byte]?.removeAll { $0.owner == owner }
  }

  func releaseAll(of owner: Int) {
    for byte in locks.keys { release(byte, of: owner) }
  }
}
