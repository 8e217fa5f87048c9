import Platform
import Synchronization

/// The memory that the processes of a session share: the lock-file, mapped once and for good at its
/// greatest size, or anonymous memory where one process keeps a file to itself.
///
/// Everything read here may have been overwritten by any process, so the reader of a number checks
/// it before it is used as an index. Only bytes that are known to lie within the file are touched.
@safe final class SharedMemory: Sendable {
  let file: (any SystemFile)?
  /// Words are only touched atomically. The only pointer to shared memory: other types use
  /// subscripts.
  private nonisolated(unsafe) let base: UnsafeMutableRawPointer
  /// Pin slots known to lie within the file.
  private let verifiedPins: Atomic<Int>
  private let growth = LockedValue(())
  private let bornIn = ForkGuard.generation
  private nonisolated(unsafe) let generation = unsafe ForkGuard.counter  // Written by fork() only.

  /// Maps a lock-file that is long enough for `LockFileLayout.pinsInitially` slots.
  init(file: any SystemFile) throws(SystemError) {
    self.file = file
    unsafe base = try file.map(length: UInt64(LockFileLayout.mappedSize), writable: true)
    verifiedPins = Atomic(LockFileLayout.pinsInitially)
  }

  /// Memory of this process alone.
  init() throws(SystemError) {
    file = nil
    unsafe base = try AnonymousMemory.map(length: LockFileLayout.mappedSize)
    verifiedPins = Atomic(LockFileLayout.pinsMax)
  }

  deinit {
    if isForked { return }
    if let file {
      unsafe file.unmap(base, length: UInt64(LockFileLayout.mappedSize))
    } else {
      unsafe AnonymousMemory.unmap(base, length: LockFileLayout.mappedSize)
    }
  }

  /// Whether a fork() lies between the handle's birth and this process.
  @inline(__always)
  var isForked: Bool { unsafe bornIn != generation.pointee }

  /// Stops a program that uses a handle in a child made by fork().
  @inline(__always)
  func requireNotForked() {
    precondition(
      !isForked,
      "A realm opened before fork() was used in the child; open it again there, after the fork.")
  }

  // MARK: Words

  /// The 8-byte word at `offset`. A simulation lets other threads run before each access.
  subscript(offset: Int) -> Atomic<UInt64> {
    @inline(__always)
    unsafeAddress {
      announceAccess()
      return unsafe UnsafePointer((base + offset).assumingMemoryBound(to: Atomic<UInt64>.self))
    }
  }

  /// The 4-byte word at `offset`, which threads can sleep on.
  subscript(half offset: Int) -> Atomic<UInt32> {
    @inline(__always)
    unsafeAddress {
      announceAccess()
      return unsafe UnsafePointer((base + offset).assumingMemoryBound(to: Atomic<UInt32>.self))
    }
  }

  /// Sleeps as long as the 4-byte word holds `expected` and no process wakes it; may return for no
  /// reason, true then, too. False: the time was over.
  func wait(
    half offset: Int, while expected: UInt32, timeout: UInt64?, by system: any System
  ) -> Bool {
    announceAccess()
    return unsafe system.wait(on: base + offset, while: expected, timeout: timeout)
  }

  /// Wakes up to `count` threads of any process that sleep on the 4-byte word; returns how many
  /// there were.
  @discardableResult
  func wake(half offset: Int, count: Int32, by system: any System) -> Int {
    announceAccess()
    return unsafe system.wake(base + offset, count: count)
  }

  /// To sleep on the 4-byte word together with others. Valid as long as the memory.
  func awaited(half offset: Int, while expected: UInt32) -> AwaitedWord {
    announceAccess()
    return unsafe AwaitedWord(address: base + offset, expected: expected)
  }

  /// Fills bytes that no other thread or process uses now.
  func clear(from: Int, to: Int) {
    unsafe (base + from).initializeMemory(as: UInt8.self, repeating: 0, count: to - from)
  }

  /// Copies bytes to where no other thread or process reads now.
  func copy(_ bytes: ArraySlice<UInt8>, to offset: Int) {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe (base + offset).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    }
  }

  @inline(__always)
  private func announceAccess() {
    #if DEBUG || HOLDFAST_SIMULATION
      Scheduling.thread?.reachedSharedWord()
    #endif
  }

  // MARK: Pin slots

  /// A slot's word: version and participant, or 0.
  subscript(pin slot: Int) -> Atomic<UInt64> {
    @inline(__always)
    unsafeAddress {
      announceAccess()
      let word = unsafe base + pinOffset(slot) + LockFileLayout.pinWord
      return unsafe UnsafePointer(word.assumingMemoryBound(to: Atomic<UInt64>.self))
    }
  }

  @inline(__always)
  func pinOffset(_ slot: Int) -> Int {
    LockFileLayout.pins + slot * LockFileLayout.pinSize
  }

  /// How many pin slots can be touched, as far as this process has looked.
  @inline(__always)
  func pinsKnown() -> Int { verifiedPins.load(ordering: .relaxed) }

  /// How many pin slots can be touched.
  @inline(__always)
  func pinCapacity() -> Int {
    let known = verifiedPins.load(ordering: .relaxed)
    let shared = self[LockFileLayout.pinCapacity].load(ordering: .sequentiallyConsistent)
    return shared <= UInt64(known) ? known : verifyPins(shared)
  }

  /// The capacity says that the file has grown: believes as much as the file's size confirms.
  private func verifyPins(_ claimed: UInt64) -> Int {
    let known = verifiedPins.load(ordering: .relaxed)
    guard let file, let size = try? file.size() else { return known }
    let pins = UInt64(LockFileLayout.pins)
    let inFile = size > pins ? (size - pins) / UInt64(LockFileLayout.pinSize) : 0
    let confirmed = Int(min(claimed, inFile, UInt64(LockFileLayout.pinsMax)))
    guard confirmed > known else { return known }
    return verifiedPins.max(confirmed, ordering: .relaxed).newValue
  }

  /// How many slots a scan has to look at.
  @inline(__always)
  func pinsUsed() -> Int {
    let used = self[LockFileLayout.pinsUsed].load(ordering: .sequentiallyConsistent)
    let known = verifiedPins.load(ordering: .relaxed)
    return used <= UInt64(known) ? Int(used) : min(pinCapacity(), Int(clamping: used))
  }

  /// Doubles the number of slots, unless another process has done so since the caller saw `seen`.
  func growPins(seen: Int) throws(LockFileError) {
    try growth.withLock { _ throws(LockFileError) in
      guard let file, pinCapacity() == seen, seen < LockFileLayout.pinsMax else {
        return try requireMorePins(than: seen)
      }
      _ = try doing("lock the lock-file for growth") { () throws(SystemError) in
        try file.lock(byte: LockFileLayout.growthByte, kind: .exclusive, wait: true)
      }
      defer { try? file.unlock(byte: LockFileLayout.growthByte) }
      guard pinCapacity() == seen else { return }
      let grown = min(seen * 2, LockFileLayout.pinsMax)
      try doing("make room for more pinned versions") { () throws(SystemError) in
        let length = UInt64((grown - seen) * LockFileLayout.pinSize)
        try file.allocate(offset: UInt64(pinOffset(seen)), length: length)
      }
      // An earlier session may have left something there.
      clear(from: pinOffset(seen), to: pinOffset(grown))
      self[LockFileLayout.pinCapacity].store(
        UInt64(grown), ordering: .sequentiallyConsistent)
      _ = pinCapacity()
    }
  }

  private func requireMorePins(than seen: Int) throws(LockFileError) {
    guard pinCapacity() <= seen else { return }
    throw LockFileError(
      .tooManyPins, path: file?.path ?? "",
      "\(seen) versions are pinned at once; release frozen or unused instances")
  }
}
