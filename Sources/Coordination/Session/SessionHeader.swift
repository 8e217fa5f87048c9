import Platform

/// The part of a lock-file that does not change in a session.
struct SessionHeader {
  var layoutVersion: UInt32
  var minimumLayout: UInt32
  var boot: BootIdentifier
  var file: FileIdentity
  var generation: UInt64

  /// Why a lock-file cannot be used by this program, or by nobody.
  enum Damage: Error {
    case notALockFile
    case layout(version: UInt32, minimum: UInt32)
    case checksum
  }

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
    func word(_ offset: Int) -> UInt64 {
      bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    func half(_ offset: Int) -> UInt32 {
      bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
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
    let sum = bytes.withUnsafeBytes {
      checksum($0.baseAddress!, count: LockFileLayout.headerChecksum)
    }
    guard half(LockFileLayout.headerChecksum) == sum else { throw .checksum }
  }

  /// `LockFileLayout.headerUsed` bytes, and zeros up to a multiple of 8.
  func encoded() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    bytes.withUnsafeMutableBytes { bytes in
      func store<Number: FixedWidthInteger>(_ number: Number, _ offset: Int) {
        bytes.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
      }
      store(LockFileLayout.magicValue, LockFileLayout.magic)
      store(layoutVersion, LockFileLayout.headerLayoutVersion)
      store(minimumLayout, LockFileLayout.headerMinimumLayout)
      store(boot.high, LockFileLayout.headerBoot)
      store(boot.low, LockFileLayout.headerBoot + 8)
      store(file.device, LockFileLayout.headerFile)
      store(file.inode, LockFileLayout.headerFile + 8)
      store(generation, LockFileLayout.headerGeneration)
      let sum = checksum(bytes.baseAddress!, count: LockFileLayout.headerChecksum)
      store(sum, LockFileLayout.headerChecksum)
    }
    return bytes
  }
}
