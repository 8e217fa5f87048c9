import Coordination
import Platform
import TestSupport

/// Damages lock-files, in place.
struct LockFileVandal {
  private var random: SeededGenerator
  private let path: String

  init(path: String, seed: UInt64) {
    self.path = path
    random = SeededGenerator(seed: seed)
  }

  /// Damage to a lock-file that nobody has open: anything.
  mutating func ravage() throws(SystemError) {
    switch random.below(9) {
    case 0: try cut(to: random.below(300_000))
    case 1: try cut(to: random.below(200))
    case 2:
      try cut(to: 0)
      try scribble(at: 0, count: 1 + random.below(300_000))
    case 3: try scribble(at: 300_000 + random.below(300_000), count: 100_000)
    default: for _ in 0...random.below(4) { try scratch() }
    }
  }

  /// Damage to some of its bytes; the size stays.
  mutating func scratch() throws(SystemError) {
    let place = self.place()
    switch random.below(6) {
    case 0: try flip(at: place)
    case 1: try write(word: UInt64(random.below(64)), at: place & ~7)
    case 2: try write(word: 0, at: place & ~7)
    case 3: try write(word: .max, at: place & ~7)
    case 4: try scribble(at: place, count: 1 + random.below(100))
    default: try scribble(at: place, count: 1 + random.below(5000))
    }
  }

  /// Where something is, mostly.
  private mutating func place() -> Int {
    switch random.below(6) {
    case 0: random.below(LockFileLayout.headerUsed)
    case 1: 128 + random.below(9) * 64
    case 2, 3: LockFileLayout.ring + random.below(LockFileLayout.ringCount) * 64 + random.below(32)
    case 4: LockFileLayout.pins + random.below(16 * LockFileLayout.pinSize)
    default: random.below(LockFileLayout.pins + 256 * LockFileLayout.pinSize)
    }
  }

  private func open() throws(SystemError) -> any SystemFile {
    try PosixSystem.shared.openFile(path: path, mode: .create)
  }

  mutating func cut(to size: Int) throws(SystemError) {
    let file = try open()
    defer { file.close() }
    try file.truncate(to: UInt64(size))
  }

  private mutating func scribble(at place: Int, count: Int) throws(SystemError) {
    var bytes = (0..<(count + 7) / 8).map { _ in random.next() }
    if random.below(3) == 0 { bytes = bytes.map { _ in 0 } }
    try write(bytes, at: place, count: count)
  }

  private func write(word: UInt64, at place: Int) throws(SystemError) {
    try write([word], at: place, count: 8)
  }

  private func write(_ words: [UInt64], at place: Int, count: Int) throws(SystemError) {
    let file = try open()
    defer { file.close() }
    var failure: SystemError?
    unsafe words.withUnsafeBytes { bytes in
      do throws(SystemError) {
        try unsafe file.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: UInt64(place))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private mutating func flip(at place: Int) throws(SystemError) {
    let file = try open()
    defer { file.close() }
    let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
    defer { unsafe byte.deallocate() }
    unsafe byte[0] = 0
    _ = try unsafe file.read(into: byte, at: UInt64(place))
    unsafe byte[0] ^= 1 << random.below(8)
    try unsafe file.write(UnsafeRawBufferPointer(byte), at: UInt64(place))
  }
}
