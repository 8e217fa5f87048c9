import Foundation
import Platform
import Synchronization

/// A machine with a disk that can lose power, for tests.
///
/// Production code runs on it unchanged. What is written goes to a page cache, which is what reads
/// and mappings see; what has not been flushed is also remembered sector by sector, so that a test
/// can ask which disks a power loss might leave behind (`CrashPlan`). Calls can be made to fail by
/// number or by kind (`FaultPlan`).
public final class SimulatedSystem: System, @unchecked Sendable {
  // Sendable: everything is under `lock`.

  let lock = NSCondition()
  var files: [String: SimulatedInode] = [:]
  private var nextInode: UInt64 = 1
  private let boot: BootIdentifier
  /// Every call of the seam so far, in order.
  public private(set) var calls: [SystemCall] = []
  /// Successful flushes so far.
  public private(set) var flushCount = 0
  public var faults = FaultPlan()
  /// Called after each change of a file, with its path, while the machine stands still.
  public var observer: ((SimulatedSystem, String) -> Void)?
  /// Whether `calls` is kept; long runs do without.
  public var recordsCalls = true

  private static let bootCounter = LockedValue<UInt64>(0)

  public init() {
    let number = Self.bootCounter.withLock { counter -> UInt64 in
      counter += 1
      return counter
    }
    boot = BootIdentifier(high: 0x51_4D, low: number)
  }

  public func bootIdentifier() -> BootIdentifier { boot }

  public var hasRealTime: Bool { false }

  /// Counts a call and throws if it is one of those that are to fail. The lock is held.
  func count(_ call: SystemCall, _ path: String) throws(SystemError) {
    if recordsCalls { calls.append(call) }
    if call == .fdatasync { flushCount += 1 }
    if let code = faults.next(call) {
      if call == .fdatasync { flushCount -= 1 }
      throw SystemError(call: call, path: path, code: code)
    }
  }

  public func forgetCalls() {
    lock.lock()
    calls = []
    lock.unlock()
  }

  public func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    lock.lock()
    defer { lock.unlock() }
    try count(.open, path)
    if let inode = files[path] {
      if mode == .createNew { throw SystemError(call: .open, path: path, code: 17) }
      return SimulatedFile(system: self, inode: inode, path: path)
    }
    guard mode == .create || mode == .createNew else {
      throw SystemError(call: .open, path: path, code: 2)
    }
    let inode = SimulatedInode(number: nextInode)
    nextInode += 1
    files[path] = inode
    return SimulatedFile(system: self, inode: inode, path: path)
  }

  public func removeFile(path: String) throws(SystemError) {
    lock.lock()
    defer { lock.unlock() }
    try count(.remove, path)
    files[path]?.linkCount = 0
    files[path] = nil
  }

  public func renameFile(from: String, to: String) throws(SystemError) {
    lock.lock()
    defer { lock.unlock() }
    try count(.rename, from)
    guard let inode = files[from] else { throw SystemError(call: .rename, path: from, code: 2) }
    files[from] = nil
    files[to]?.linkCount = 0
    files[to] = inode
  }

  public func fileExists(path: String) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return files[path] != nil
  }

  public func identity(ofFileAt path: String) throws(SystemError) -> FileIdentity? {
    lock.lock()
    defer { lock.unlock() }
    return files[path].map { FileIdentity(device: 1, inode: $0.number) }
  }

  public func synchronizeDirectory(containing path: String) throws(SystemError) {
    lock.lock()
    defer { lock.unlock() }
    try count(.synchronizeDirectory, path)
  }

  // MARK: what tests look at

  /// The file's bytes as every process sees them now.
  public func contents(of path: String) -> [UInt8] {
    lock.lock()
    defer { lock.unlock() }
    guard let inode = files[path] else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: inode.cache, count: inode.size))
  }

  /// Puts a file in place, as if it had always been there.
  public func install(_ bytes: [UInt8], at path: String) {
    lock.lock()
    defer { lock.unlock() }
    let inode = files[path] ?? SimulatedInode(number: nextInode)
    nextInode += 1
    files[path] = inode
    inode.install(bytes)
  }

  /// What of the file has been written and not flushed.
  public func pending(of path: String) -> CrashPlan {
    lock.lock()
    defer { lock.unlock() }
    return pendingLocked(of: path)
  }

  /// The same, for an observer.
  public func pendingLocked(of path: String) -> CrashPlan {
    guard let inode = files[path] else { return CrashPlan(base: [], operations: []) }
    return CrashPlan(base: inode.durable, operations: inode.pending)
  }

  /// Pages that a failed flush left are dropped and read again from the disk, which has `bytes` at
  /// `offset`.
  public func readAgain(_ bytes: ArraySlice<UInt8>, at offset: Int, of path: String) {
    lock.lock()
    defer { lock.unlock() }
    readAgainLocked(bytes, at: offset, of: path)
  }

  /// The same, for an observer.
  public func readAgainLocked(_ bytes: ArraySlice<UInt8>, at offset: Int, of path: String) {
    guard let inode = files[path] else { return }
    unsafe bytes.withUnsafeBytes { source in
      if let start = source.baseAddress {
        unsafe (inode.cache + offset).copyMemory(from: start, byteCount: source.count)
      }
    }
  }
}

/// Which calls fail.
public struct FaultPlan: Sendable {
  /// The number (from 0) of the call that fails, among those of `kinds`.
  public var failingCall: Int?
  /// Fails this call and all after it.
  public var failsForGood = false
  public var code: Int32 = 5
  /// Calls that count; empty counts all but locks.
  public var kinds: Set<SystemCall> = []
  /// A failing write leaves half of its bytes behind.
  public var tearsWrites = false
  public private(set) var seen = 0
  public private(set) var fired = 0

  public init() {}

  mutating func next(_ call: SystemCall) -> Int32? {
    if kinds.isEmpty {
      if call == .lock || call == .unlock { return nil }
    } else if !kinds.contains(call) {
      return nil
    }
    defer { seen += 1 }
    guard let failingCall else { return nil }
    let fails = failsForGood ? seen >= failingCall : seen == failingCall
    if fails { fired += 1 }
    return fails ? code : nil
  }
}
