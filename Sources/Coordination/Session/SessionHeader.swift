import Platform

/// The part of a lock-file that does not change in a session.
struct SessionHeader {
  var layoutVersion: UInt32
  var minimumLayout: UInt32
  var boot: BootIdentifier
  var file: FileIdentity
  var generation: UInt64

  /// Why a lock-file cannot be used by this program, or by any.
  enum Damage: Error {
    case notALockFile
    case layout(version: UInt32, minimum: UInt32)
    case checksum
  }

  /// Where the counting begins when nothing is known of a session before: nobody can have noted it.
  static func firstGeneration() -> UInt64 { .random(in: 1...UInt64.max / 2) }

  init(boot: BootIdentifier, file: FileIdentity, generation: UInt64) {
    layoutVersion = LockFileLayout.layoutVersion
    minimumLayout = LockFileLayout.minimumLayout
    self.boot = boot
    self.file = file
    self.generation = generation
  }

  /// From the first 64 bytes of a lock-file. Magic and layout come first: what follows them may be
  /// anything in another layout.
  init(_ bytes: [UInt8]) throws(Damage) {
    func word(_ offset: Int) -> UInt64 { bytes.number(at: offset) }
    func half(_ offset: Int) -> UInt32 { bytes.number(at: offset) }
    guard bytes.count >= LockFileLayout.headerUsed,
      word(LockFileLayout.magic) == LockFileLayout.magicValue
    else { throw .notALockFile }
    layoutVersion = half(LockFileLayout.headerLayoutVersion)
    minimumLayout = half(LockFileLayout.headerMinimumLayout)
    guard minimumLayout <= LockFileLayout.layoutVersion,
      layoutVersion >= LockFileLayout.minimumLayout
    else { throw .layout(version: layoutVersion, minimum: minimumLayout) }
    boot = BootIdentifier(
      high: word(LockFileLayout.headerBoot), low: word(LockFileLayout.headerBoot + 8))
    file = FileIdentity(
      device: word(LockFileLayout.headerFile), inode: word(LockFileLayout.headerFile + 8))
    generation = word(LockFileLayout.headerGeneration)
    let sum = checksum(bytes[..<LockFileLayout.headerChecksum])
    guard half(LockFileLayout.headerChecksum) == sum else { throw .checksum }
  }

  /// `LockFileLayout.headerUsed` bytes, and zeros up to a multiple of 8.
  func encoded() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    bytes.store(LockFileLayout.magicValue, at: LockFileLayout.magic)
    bytes.store(layoutVersion, at: LockFileLayout.headerLayoutVersion)
    bytes.store(minimumLayout, at: LockFileLayout.headerMinimumLayout)
    bytes.store(boot.high, at: LockFileLayout.headerBoot)
    bytes.store(boot.low, at: LockFileLayout.headerBoot + 8)
    bytes.store(file.device, at: LockFileLayout.headerFile)
    bytes.store(file.inode, at: LockFileLayout.headerFile + 8)
    bytes.store(generation, at: LockFileLayout.headerGeneration)
    let sum = checksum(bytes[..<LockFileLayout.headerChecksum])
    bytes.store(sum, at: LockFileLayout.headerChecksum)
    return bytes
  }
}
