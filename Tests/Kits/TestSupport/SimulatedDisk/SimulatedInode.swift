import Foundation
import Platform

/// A file of a simulated machine.
@safe final class SimulatedInode {
  let number: UInt64
  var linkCount: UInt64 = 1
  /// The page cache, in a reservation that never moves.
  let cache: UnsafeMutableRawPointer
  var size = 0
  /// What the disk has for certain.
  var durable: [UInt8] = []
  /// What has been done since, in order.
  var pending: [CrashPlan.Operation] = []
  /// Byte locks: who holds them.
  var locks: [UInt64: [(owner: ObjectIdentifier, kind: LockKind)]] = [:]

  static let reservation = 1 << 28

  init(number: UInt64) {
    self.number = number
    do {
      unsafe cache = try AnonymousMemory.map(length: Self.reservation)
    } catch {
      preconditionFailure("no memory for a simulated file: \(error)")
    }
  }

  deinit { unsafe AnonymousMemory.unmap(cache, length: Self.reservation) }

  func install(_ bytes: [UInt8]) {
    precondition(bytes.count <= Self.reservation, "a simulated file is too large")
    unsafe bytes.withUnsafeBytes { source in
      if let start = source.baseAddress {
        unsafe cache.copyMemory(from: start, byteCount: bytes.count)
      }
    }
    size = bytes.count
    durable = bytes
    pending = []
  }

  func flush() {
    for operation in pending { operation.apply(to: &durable) }
    pending = []
  }
}

/// An open file description of a simulated machine.
final class SimulatedFile: SystemFile, @unchecked Sendable {
  // Sendable: everything is under the system's lock.

  private let system: SimulatedSystem
  private let inode: SimulatedInode
  let path: String
  private var isClosed = false

  init(system: SimulatedSystem, inode: SimulatedInode, path: String) {
    self.system = system
    self.inode = inode
    self.path = path
  }

  deinit { close() }

  var identity: FileIdentity { FileIdentity(device: 1, inode: inode.number) }
  func fileSystemKind() throws(SystemError) -> FileSystemKind { .local }

  private func locked<R>(
    _ call: SystemCall, _ body: () throws(SystemError) -> R
  ) throws(SystemError) -> R {
    system.lock.lock()
    defer { system.lock.unlock() }
    try system.count(call, path)
    return try body()
  }

  func size() throws(SystemError) -> UInt64 {
    try locked(.stat) { UInt64(inode.size) }
  }

  func allocatedSize() throws(SystemError) -> UInt64 {
    try locked(.stat) { UInt64(inode.size) }
  }

  func linkCount() throws(SystemError) -> UInt64 {
    try locked(.stat) { inode.linkCount }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    system.lock.lock()
    defer { system.lock.unlock() }
    do throws(SystemError) {
      try system.count(.write, path)
    } catch {
      if system.faults.tearsWrites { unsafe store(bytes, at: Int(offset), count: bytes.count / 2) }
      throw error
    }
    unsafe store(bytes, at: Int(offset), count: bytes.count)
  }

  private func store(_ bytes: UnsafeRawBufferPointer, at offset: Int, count: Int) {
    guard count > 0, let start = bytes.baseAddress else { return }
    precondition(offset + count <= SimulatedInode.reservation, "a simulated file is too large")
    unsafe (inode.cache + offset).copyMemory(from: start, byteCount: count)
    inode.size = max(inode.size, offset + count)
    unsafe inode.pending.append(
      .write(offset: offset, bytes: Array(UnsafeRawBufferPointer(rebasing: bytes[0..<count]))))
    system.observer?(system, path)
  }

  func read(
    into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(SystemError) -> Int {
    try locked(.read) {
      let count = max(0, min(bytes.count, inode.size - Int(offset)))
      if count > 0 {
        unsafe bytes.baseAddress!.copyMemory(from: inode.cache + Int(offset), byteCount: count)
      }
      return count
    }
  }

  func synchronize() throws(SystemError) {
    try locked(.fdatasync) { inode.flush() }
  }

  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    try locked(.fallocate) {
      let end = Int(offset + length)
      guard end > inode.size else { return }
      inode.size = end
      inode.pending.append(.resize(end))
      system.observer?(system, path)
    }
  }

  func punchHole(offset: UInt64, length: UInt64) throws(SystemError) {
    try locked(.punchHole) {
      let end = min(Int(offset + length), inode.size)
      guard end > Int(offset) else { return }
      let count = end - Int(offset)
      unsafe (inode.cache + Int(offset)).initializeMemory(
        as: UInt8.self, repeating: 0, count: count)
      inode.pending.append(
        .write(offset: Int(offset), bytes: [UInt8](repeating: 0, count: count)))
      system.observer?(system, path)
    }
  }

  func truncate(to size: UInt64) throws(SystemError) {
    try locked(.ftruncate) {
      let size = Int(size)
      if size < inode.size {
        unsafe (inode.cache + size).initializeMemory(
          as: UInt8.self, repeating: 0, count: inode.size - size)
      }
      inode.size = size
      inode.pending.append(.resize(size))
      system.observer?(system, path)
    }
  }

  func map(length: UInt64, writable: Bool) throws(SystemError) -> UnsafeMutableRawPointer {
    try unsafe locked(.mmap) { unsafe inode.cache }
  }

  func unmap(_ address: UnsafeMutableRawPointer, length: UInt64) {}

  // MARK: locks

  func lock(byte: UInt64, kind: LockKind, wait: Bool) throws(SystemError) -> Bool {
    system.lock.lock()
    defer { system.lock.unlock() }
    try system.count(.lock, path)
    while isExcluded(byte, kind) {
      if !wait { return false }
      system.lock.wait()
    }
    release(byte)
    inode.locks[byte, default: []].append((ObjectIdentifier(self), kind))
    system.lock.broadcast()
    return true
  }

  func waitForLock(
    byte: UInt64, kind: LockKind, whenDone: @escaping @Sendable (Result<Void, SystemError>) -> Void
  ) throws(SystemError) -> any LockWait {
    let wait = SimulatedLockWait(system: system)
    Thread.detachNewThread { [self] in
      system.lock.lock()
      while isExcluded(byte, kind), !wait.isCancelled { system.lock.wait() }
      let isGiven = !wait.isCancelled
      if isGiven {
        wait.isDone = true
        release(byte)
        inode.locks[byte, default: []].append((ObjectIdentifier(self), kind))
      }
      system.lock.unlock()
      if isGiven { whenDone(.success(())) }
    }
    return wait
  }

  func unlock(byte: UInt64) throws(SystemError) {
    try locked(.unlock) {
      release(byte)
      system.lock.broadcast()
    }
  }

  func isLockedByOther(byte: UInt64, kind: LockKind) throws(SystemError) -> Bool {
    try locked(.lock) { isExcluded(byte, kind) }
  }

  private func isExcluded(_ byte: UInt64, _ kind: LockKind) -> Bool {
    let holders = inode.locks[byte] ?? []
    return holders.contains { holder in
      holder.owner != ObjectIdentifier(self) && (kind == .exclusive || holder.kind == .exclusive)
    }
  }

  private func release(_ byte: UInt64) {
    inode.locks[byte]?.removeAll { $0.owner == ObjectIdentifier(self) }
  }

  func close() {
    system.lock.lock()
    defer { system.lock.unlock() }
    if isClosed { return }
    isClosed = true
    for byte in inode.locks.keys { release(byte) }
    system.lock.broadcast()
  }
}

/// A thread's wait for a byte of a simulated file.
private final class SimulatedLockWait: LockWait, @unchecked Sendable {
  // Sendable: the flags are under the system's lock.

  private let system: SimulatedSystem
  var isCancelled = false
  var isDone = false

  init(system: SimulatedSystem) { self.system = system }

  func cancel() -> Bool {
    system.lock.lock()
    defer { system.lock.unlock() }
    if isDone { return false }
    isCancelled = true
    system.lock.broadcast()
    return true
  }
}
