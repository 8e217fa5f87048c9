import Platform
import Synchronization

/// The memory that the processes of a session share: the lock-file, mapped once and for good at its
/// greatest size, or anonymous memory where one process keeps a file to itself.
///
/// Everything read here may have been scribbled over by anybody, so whoever reads a number checks
/// it before it is used as an index. Only bytes that are known to lie within the file are touched.
final class SharedMemory: Sendable {
  let file: (any SystemFile)?
  nonisolated(unsafe) let base: UnsafeMutableRawPointer  // Words are only touched atomically.
  /// Pin slots known to lie within the file.
  private let verifiedPins: Atomic<Int>
  private let growth = LockedValue(())
  private let bornIn = ForkGuard.generation
  private nonisolated(unsafe) let generation = ForkGuard.counter  // Written by fork() only.

  /// Maps a lock-file that is long enough for `LockFileLayout.pinsInitially` slots.
  init(file: any SystemFile) throws(SystemError) {
    self.file = file
    base = try file.map(length: UInt64(LockFileLayout.mappedSize), writable: true)
    verifiedPins = Atomic(LockFileLayout.pinsInitially)
  }

  /// Memory of this process alone.
  init() throws(SystemError) {
    file = nil
    base = try AnonymousMemory.map(length: LockFileLayout.mappedSize)
    verifiedPins = Atomic(LockFileLayout.pinsMax)
  }

  deinit {
    if isForked { return }
    if let file {
      file.unmap(base, length: UInt64(LockFileLayout.mappedSize))
    } else {
      AnonymousMemory.unmap(base, length: LockFileLayout.mappedSize)
    }
  }

  /// Whether a fork() lies between the handle's birth and this process.
  @inline(__always)
  var isForked: Bool { bornIn != generation.pointee }

  /// Stops a program that carries a handle into a child made by fork().
  @inline(__always)
  func requireNotForked() {
    precondition(
      !isForked,
      "A realm opened before fork() was used in the child; open it again there, after the fork.")
  }

  /// The 8-byte word at `offset`. Ask for it anew at each access: a simulation lets other threads
  /// run in between.
  @inline(__always)
  func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    announceAccess()
    return (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  @inline(__always)
  func halfWord(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
    announceAccess()
    return (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  @inline(__always)
  private func announceAccess() {
    #if DEBUG || HOLDFAST_SIMULATION
      Scheduling.thread?.reachedSharedWord()
    #endif
  }

  // MARK: Pin slots

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
    let shared = word(LockFileLayout.pinCapacity).pointee.load(ordering: .sequentiallyConsistent)
    return shared <= UInt64(known) ? known : verifyPins(shared)
  }

  /// Somebody has grown the file, or claims so: believes what the file's size confirms.
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
    let used = word(LockFileLayout.pinsUsed).pointee.load(ordering: .sequentiallyConsistent)
    let known = verifiedPins.load(ordering: .relaxed)
    return used <= UInt64(known) ? Int(used) : min(pinCapacity(), Int(clamping: used))
  }

  /// Doubles the number of slots, unless somebody else has done so since the caller saw `seen`.
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
      (base + pinOffset(seen)).initializeMemory(
        as: UInt8.self, repeating: 0, count: (grown - seen) * LockFileLayout.pinSize)
      word(LockFileLayout.pinCapacity).pointee.store(
        UInt64(grown), ordering: .sequentiallyConsistent)
      _ = pinCapacity()
    }
  }

  private func requireMorePins(than seen: Int) throws(LockFileError) {
    guard pinCapacity() <= seen else { return }
    throw LockFileError(
      .tooManyPins, path: file?.path ?? "",
      "\(seen) versions are pinned at once; let go of frozen or unused instances")
  }
}
