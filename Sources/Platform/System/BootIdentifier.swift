internal import CPlatform
import Glibc

/// 16 bytes that name one boot of one machine.
public struct BootIdentifier: Hashable, Sendable {
  public var high: UInt64
  public var low: UInt64
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension BootIdentifier {
  /// The kernel's identifier. Where a sandbox hides that, one that this user's processes share
  /// through a file in memory, which does not survive the boot either. Where that fails too it is
  /// random: then nothing that was not flushed is believed after the process that wrote it has
  /// ended, which is safe.
  package static func ofThisBoot(
    kernelFile: String = "/proc/sys/kernel/random/boot_id", memoryDirectory: String = "/dev/shm"
  ) -> BootIdentifier {
    if let text = read(kernelFile), let identifier = BootIdentifier(hexadecimal: text) {
      return identifier
    }
    return shared(in: memoryDirectory) ?? random()
  }

  private static func random() -> BootIdentifier {
    BootIdentifier(high: .random(in: 1 ... .max), low: .random(in: 0 ... .max))
  }

  private static func read(_ path: String) -> [UInt8]? {
    guard let file = try? PosixFile(path: path, mode: .readOnly) else { return nil }
    defer { file.close() }
    return read(file)
  }

  private static func read(_ file: PosixFile) -> [UInt8]? {
    var text = [UInt8](repeating: 0, count: 64)
    let count = try? text.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return count.map { Array(text[..<$0]) }
  }

  // MARK: A file in memory

  private static let memoryFileSystem: UInt32 = 0x0102_1994

  /// Of each user his own: what another one writes is not to be believed.
  private static func shared(in directory: String) -> BootIdentifier? {
    let path = "\(directory)/holdfast-boot-\(geteuid())"
    if let identifier = trusted(path) { return identifier }
    make(path)
    return trusted(path)
  }

  private static func trusted(_ path: String) -> BootIdentifier? {
    guard let file = try? PosixFile(path: path, mode: .readWriteNoFollow) else { return nil }
    defer { file.close() }
    guard isInMemory(file), let permissions = try? file.permissions(),
      permissions.owner == geteuid(), permissions.mode & 0o077 == 0
    else { return nil }
    return read(file).flatMap { BootIdentifier(hexadecimal: $0) }
  }

  private static func isInMemory(_ file: PosixFile) -> Bool {
    var magic: UInt32 = 0
    return (try? file.fileSystemMagic(&magic)) != nil && magic == memoryFileSystem
  }

  /// Under another name first, so that it is never there without its content. The first process
  /// wins.
  private static func make(_ path: String) {
    let draft = "\(path)-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    guard let file = try? PosixFile(path: draft, mode: .createNew) else { return }
    defer {
      file.close()
      unlink(draft)
    }
    let text = random().hexadecimal
    guard isInMemory(file), (try? text.withUnsafeBytes { try file.write($0, at: 0) }) != nil else {
      return
    }
    link(draft, path)
  }

  private var hexadecimal: [UInt8] {
    [high, low].flatMap { word in
      let digits = String(word, radix: 16)
      return Array((String(repeating: "0", count: 16 - digits.count) + digits).utf8)
    }
  }

  /// From 32 hexadecimal digits; dashes and white space between them do not count.
  init?(hexadecimal text: some Sequence<UInt8>) {
    var words: [UInt64] = [0, 0]
    var digits = 0
    for character in text {
      guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else { continue }
      guard digits < 32 else { return nil }
      words[digits / 16] = words[digits / 16] << 4 | UInt64(digit)
      digits += 1
    }
    guard digits == 32 else { return nil }
    self.init(high: words[0], low: words[1])
  }
}
