import Platform
import Synchronization

/// What the contenders of a storm tell the one who kills them, in shared memory, so that it is
/// there whatever instruction they die at.
///
/// Each word has a cache line to itself.
@safe public final class Progress: Sendable {
  /// Where a contender was when last seen.
  public enum Phase: UInt64, Sendable {
    case opening
    case waiting
    case holding
    case committing
    case between
  }

  public static let positionsMax = 16
  private static let linesPerPosition = 8
  private static let ring = 16384
  private static let ringCount = 4096
  private static let size = ring + ringCount * 8

  private let file: any SystemFile
  private nonisolated(unsafe) let base: UnsafeMutableRawPointer  // Only touched atomically.

  public init(path: String) throws(SystemError) {
    file = try PosixSystem.shared.openFile(path: path, mode: .create)
    try file.allocate(offset: 0, length: UInt64(Self.size))
    unsafe base = try file.map(length: UInt64(Self.size), writable: true)
  }

  deinit {
    unsafe file.unmap(base, length: UInt64(Self.size))
    file.close()
  }

  private func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  private func word(_ position: Int, _ field: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    unsafe word(1024 + (position * Self.linesPerPosition + field) * 64)
  }

  private subscript(position: Int, field: Int) -> UInt64 {
    unsafe word(position, field).pointee.load(ordering: .sequentiallyConsistent)
  }

  /// Forgets everything, for another file.
  public func reset() {
    unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: Self.size)
  }

  // MARK: One contender's

  public func attempted(_ position: Int) -> UInt64 { self[position, 0] }
  public func setAttempted(_ position: Int, _ count: UInt64) { store(position, 0, count) }

  public func acknowledged(_ position: Int) -> UInt64 { self[position, 1] }
  public func setAcknowledged(_ position: Int, _ count: UInt64) { store(position, 1, count) }

  public func phase(_ position: Int) -> Phase { Phase(rawValue: self[position, 2]) ?? .opening }
  public func setPhase(_ position: Int, _ phase: Phase) { store(position, 2, phase.rawValue) }

  private func store(_ position: Int, _ field: Int, _ value: UInt64) {
    unsafe word(position, field).pointee.store(value, ordering: .sequentiallyConsistent)
  }

  public func acknowledged(upTo count: Int) -> [UInt64] { (0..<count).map { acknowledged($0) } }
  public func attempted(upTo count: Int) -> [UInt64] { (0..<count).map { attempted($0) } }

  // MARK: Acquisitions of the writer role, in order

  public struct Acquisition: Hashable, Sendable {
    public var position: Int
    /// Nanoseconds of the monotonic clock.
    public var time: UInt64
  }

  /// For the holder of the writer role.
  public func recordAcquisition(_ position: Int) {
    let count = acquisitionCount
    let entry = MonotonicClock.now() << 8 | UInt64(position)
    unsafe word(Self.ring + Int(count % UInt64(Self.ringCount)) * 8).pointee.store(
      entry, ordering: .sequentiallyConsistent)
    unsafe word(0).pointee.store(count + 1, ordering: .sequentiallyConsistent)
    unsafe turn.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent)
    unsafe Futex.wake(UnsafeMutableRawPointer(turn))
  }

  public var acquisitionCount: UInt64 {
    unsafe word(0).pointee.load(ordering: .sequentiallyConsistent)
  }

  public func acquisition(_ number: UInt64) -> Acquisition {
    let entry = unsafe word(Self.ring + Int(number % UInt64(Self.ringCount)) * 8).pointee.load(
      ordering: .sequentiallyConsistent)
    return Acquisition(position: Int(entry & 0xFF), time: entry >> 8)
  }

  public var lastAcquisition: Acquisition? {
    let count = acquisitionCount
    return count == 0 ? nil : acquisition(count - 1)
  }

  private var turn: UnsafeMutablePointer<Atomic<UInt32>> {
    unsafe (base + 64).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// Waits for the first acquisition from number `first` on that is later than `time` and not by
  /// `position`; nil after `seconds`.
  public func awaitAcquisition(
    from first: UInt64, after time: UInt64, otherThan position: Int, seconds: Int
  ) -> Acquisition? {
    let deadline = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    var next = first
    while true {
      let seen = unsafe turn.pointee.load(ordering: .sequentiallyConsistent)
      while next < acquisitionCount {
        let found = acquisition(next)
        if found.position != position, found.time > time { return found }
        next += 1
      }
      let now = MonotonicClock.now()
      guard now < deadline else { return nil }
      unsafe Futex.wait(UnsafeMutableRawPointer(turn), while: seen, timeout: deadline - now)
    }
  }
}
