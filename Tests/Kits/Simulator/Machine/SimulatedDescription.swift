import Coordination
import Platform
import Storage

/// An open file description of a simulated process.
final class SimulatedDescription: SystemFile, @unchecked Sendable {
  // Sendable: whoever has the baton touches it, and passing the baton orders the accesses.

  let process: SimulatedProcess
  let inode: MachineInode
  let path: String
  private(set) var isClosed = false
  /// Which failed flushes of the file this description has heard of.
  private var failuresHeard: Int
  /// The step at which each byte was locked, until it is unlocked.
  private(set) var lockedAt: [UInt64: Int] = [:]
  /// The step at which it had the session byte to itself, if it had since somebody looked.
  var wasAloneAt: Int?

  private var machine: SimulatedMachine { process.machine }
  /// Whose its locks are.
  private let owner: Int

  init(process: SimulatedProcess, inode: MachineInode, path: String) {
    self.process = process
    self.inode = inode
    self.path = path
    owner = process.machine.makeDescriptionNumber()
    // A failure that nobody has heard of is told to whoever opens the file next.
    failuresHeard = inode.failuresHeard
  }

  var identity: FileIdentity { FileIdentity(device: 1, inode: inode.number) }

  func fileSystemKind() throws(SystemError) -> FileSystemKind { .local }

  private func enter(
    _ call: SystemCall, _ detail: @autoclosure () -> String = ""
  ) throws(SystemError) {
    try process.enter(call, "\(path)#\(inode.number) \(detail())")
  }

  private func failure(_ call: SystemCall, _ code: Int32) -> SystemError {
    machine.trace("\(call.rawValue) fails with \(code)")
    machine.faults["failed \(call.rawValue)", default: 0] += 1
    return SystemError(call: call, path: path, code: code)
  }

  private func isUnlucky(_ every: Int) -> Bool {
    every > 0 && machine.random.below(every) == 0
  }

  // MARK: What it is

  func size() throws(SystemError) -> UInt64 {
    try enter(.stat)
    return UInt64(inode.size)
  }

  func allocatedSize() throws(SystemError) -> UInt64 {
    try enter(.stat)
    return UInt64(inode.size)
  }

  func linkCount() throws(SystemError) -> UInt64 {
    try enter(.stat)
    return inode.linkCount
  }

  // MARK: Bytes

  /// Page by page, as the kernel does it, so that others see half of it and a kill can leave half.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    try enter(.write, "\(bytes.count) at \(offset)")
    let slot = unsafe slotVersion(bytes, Int(offset), among: FileLayout.durableSlots)
    if let slot { machine.onSlot?(inode, Int(offset), slot) }
    var done = 0
    // A file system that lacks space for what it overwrites puts that elsewhere, and so destroys no
    // block when it is interrupted.
    let isInPlace = machine.settings.tearsBlocks && Int(offset) + bytes.count <= inode.size
    let fails = isUnlucky(machine.settings.fullDiskEvery) && !isInPlace
    while done < bytes.count {
      let place = Int(offset) + done
      let room = MachineInode.pageSize - place % MachineInode.pageSize
      let count = min(bytes.count - done, room)
      if fails, done + count >= bytes.count { throw failure(.write, 28) }
      unsafe inode.store(UnsafeRawBufferPointer(rebasing: bytes[done..<done + count]), at: place)
      done += count
      if done < bytes.count { machine.point(.word) }
    }
    if machine.settings.deathAfterVolatileSlotEvery > 0,
      unsafe slotVersion(bytes, Int(offset), among: FileLayout.volatileSlots) ?? 0 > 0,
      isUnlucky(machine.settings.deathAfterVolatileSlotEvery)
    {
      die("after it has written a volatile slot", in: .write, isUntold: false)
    }
    guard let slot else { return }
    inode.slotsOfThisBoot[Int(offset)] = slot
    if isUnlucky(machine.settings.deathAfterSlotEvery) {
      die("after it has written a slot", in: .write)
    }
  }

  /// The version that a slot names which is written; nil for other writes.
  private func slotVersion(
    _ bytes: UnsafeRawBufferPointer, _ offset: Int, among places: [Int]
  ) -> UInt64? {
    guard places.contains(offset), bytes.count == FileLayout.slotSize else { return nil }
    return unsafe bytes.loadUnaligned(fromByteOffset: FileLayout.slotVersion, as: UInt64.self)
  }

  func read(
    into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(SystemError) -> Int {
    try enter(.read, "\(bytes.count) at \(offset)")
    if isUnlucky(machine.settings.otherFaultEvery) { throw failure(.read, 5) }
    let count = max(0, min(bytes.count, inode.size - Int(clamping: offset)))
    if count > 0 {
      unsafe bytes.baseAddress!.copyMemory(from: inode.cache + Int(offset), byteCount: count)
    }
    machine.onCall?(.read, process)
    return count
  }

  /// Takes time: what is written meanwhile is not covered.
  func synchronize() throws(SystemError) {
    try enter(.fdatasync)
    let end = inode.end
    machine.clock += isUnlucky(machine.settings.slowFlushEvery) ? 100_000_000 : 500_000
    machine.point(.other)
    guard !machine.isOver else { throw failure(.fdatasync, 5) }
    if isUnlucky(machine.settings.failedFlushEvery) {
      inode.drop { _ in machine.random.below(2) == 0 }
      machine.onDroppedPages?(inode)
    } else {
      inode.flush(upTo: end)
    }
    guard failuresHeard < inode.failures else {
      machine.onCall?(.fdatasync, process)
      return
    }
    failuresHeard = inode.failures
    inode.failuresHeard = inode.failures
    process.untoldFailure = (inode, machine.current)
    machine.onFailedFlush?(inode)
    if isUnlucky(machine.settings.deathInFailedFlushEvery) {
      die("over a flush that has failed", in: .fdatasync)
    }
    machine.onCall?(.fdatasync, process)
    throw failure(.fdatasync, 5)
  }

  /// The process is killed before the call returns, and so tells nobody what it has led to.
  private func die(_ reason: String, in call: SystemCall, isUntold: Bool = true) {
    machine.trace("\(process.name) dies \(reason)")
    machine.kill(process)
    if isUntold { machine.onUntoldDeath?() }
    machine.point(.call(call))
    machine.handOff(from: machine.current)
  }

  // MARK: Space

  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    try enter(.fallocate, "\(length) at \(offset)")
    if isUnlucky(machine.settings.fullDiskEvery) { throw failure(.fallocate, 28) }
    let end = Int(offset + length)
    if end > inode.size { inode.resize(to: end) }
  }

  /// Waits for the file system's journal: others may come far meanwhile.
  func punchHole(offset: UInt64, length: UInt64) throws(SystemError) {
    try enter(.punchHole, "\(length) at \(offset)")
    for _ in 0..<machine.random.below(200) { machine.point(.other) }
    guard !machine.isOver else { throw failure(.punchHole, 5) }
    if isUnlucky(machine.settings.otherFaultEvery) { throw failure(.punchHole, 5) }
    let end = min(Int(offset + length), inode.size)
    if end > Int(offset) { inode.punch(from: Int(offset), to: end) }
  }

  func truncate(to size: UInt64) throws(SystemError) {
    try enter(.ftruncate, "\(size)")
    inode.resize(to: Int(size))
  }

  // MARK: Memory

  func map(length: UInt64, writable: Bool) throws(SystemError) -> UnsafeMutableRawPointer {
    try enter(.mmap, "\(length)")
    if isUnlucky(machine.settings.otherFaultEvery) { throw failure(.mmap, 12) }
    return unsafe inode.cache
  }

  func unmap(_ address: UnsafeMutableRawPointer, length: UInt64) {}

  // MARK: Byte locks

  func lock(byte: UInt64, kind: LockKind, wait: Bool) throws(SystemError) -> Bool {
    try enter(.lock, "\(Self.name(byte)) \(kind)\(wait ? " waiting" : "")")
    while inode.isExcluded(byte, kind, for: owner) {
      if !wait { return false }
      machine.block(.fileLock(inode.number))
      guard !machine.isOver else { throw failure(.lock, 5) }
    }
    grant(byte, kind)
    return true
  }

  private func grant(_ byte: UInt64, _ kind: LockKind) {
    inode.release(byte, of: owner)
    inode.locks[byte, default: []].append((owner, kind))
    if lockedAt[byte] == nil { lockedAt[byte] = machine.step }
    if byte == LockFileLayout.sessionByte, kind == .exclusive { wasAloneAt = machine.step }
    // A lock that has become a shared one lets others in.
    if kind == .shared { wakeWaiters() }
  }

  static func name(_ byte: UInt64) -> String {
    byte >= 1 << 62 ? "+\(byte - 1 << 62)" : "\(byte)"
  }

  func unlock(byte: UInt64) throws(SystemError) {
    try enter(.unlock, Self.name(byte))
    inode.release(byte, of: owner)
    lockedAt[byte] = nil
    wakeWaiters()
  }

  func isLockedByOther(byte: UInt64, kind: LockKind) throws(SystemError) -> Bool {
    try enter(.lock, "query \(Self.name(byte))")
    return inode.isExcluded(byte, kind, for: owner)
  }

  private func wakeWaiters() {
    machine.onUnlock?(inode)
    machine.wake { $0.state == .fileLock(inode.number) }
  }

  func waitForLock(
    byte: UInt64, kind: LockKind, whenDone: @escaping @Sendable (Result<Void, SystemError>) -> Void
  ) throws(SystemError) -> any LockWait {
    try enter(.lock, "\(Self.name(byte)) \(kind) in the background")
    let wait = SimulatedLockWait()
    process.start("lock-wait") { [self] in
      while !wait.isCancelled, inode.isExcluded(byte, kind, for: owner) {
        machine.block(.fileLock(inode.number))
      }
      guard !wait.isCancelled else { return }
      wait.isDone = true
      grant(byte, kind)
      whenDone(.success(()))
    }
    wait.thread = machine.threads.last
    return wait
  }

  func close() {
    machine.point(.other)
    guard !machine.isOver, !isClosed else { return }
    process.descriptions.removeAll { $0 === self }
    dropLocks()
  }

  /// The kernel does so whenever the description goes.
  func dropLocks() {
    isClosed = true
    machine.trace("closes \(path)#\(inode.number)")
    inode.releaseAll(of: owner)
    lockedAt = [:]
    wakeWaiters()
  }
}

/// A wait for a byte of a simulated file.
private final class SimulatedLockWait: LockWait, @unchecked Sendable {
  // Sendable: whoever has the baton touches it, and passing the baton orders the accesses.

  var isCancelled = false
  var isDone = false
  weak var thread: SimulatedThread?

  func cancel() -> Bool {
    if isDone { return false }
    isCancelled = true
    if let thread, case .fileLock = thread.state { thread.machine.makeReady(thread) }
    return true
  }
}
