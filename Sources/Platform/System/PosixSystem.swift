internal import CPlatform
import Glibc

/// The real machine: Linux, through Glibc.
public final class PosixSystem: System {
  public static let shared = PosixSystem()

  private let boot: BootIdentifier

  private init() {
    boot = PosixSystem.readBootIdentifier()
  }

  public func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    try PosixFile(path: path, mode: mode)
  }

  public func removeFile(path: String) throws(SystemError) {
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw SystemError(call: .remove, path: path, code: errno)
  }

  public func renameFile(from: String, to: String) throws(SystemError) {
    guard rename(from, to) != 0 else { return }
    throw SystemError(call: .rename, path: from, code: errno)
  }

  public func fileExists(path: String) -> Bool {
    access(path, F_OK) == 0
  }

  public func identity(ofFileAt path: String) throws(SystemError) -> FileIdentity? {
    var status = stat()
    if stat(path, &status) == 0 { return FileIdentity(status) }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw SystemError(call: .stat, path: path, code: errno)
  }

  public func canonicalPath(of path: String) throws(SystemError) -> String? {
    guard let found = realpath(path, nil) else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw SystemError(call: .canonicalPath, path: path, code: errno)
    }
    defer { free(found) }
    return String(cString: found)
  }

  public func synchronizeDirectory(containing path: String) throws(SystemError) {
    let directory = PosixSystem.directory(containing: path)
    func failure() -> SystemError {
      SystemError(call: .synchronizeDirectory, path: directory, code: errno)
    }
    let descriptor = retryingInterrupted {
      Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw failure() }
    defer { Glibc.close(descriptor) }
    // Some file systems have nothing to flush for a directory and say EINVAL.
    guard retryingInterrupted({ fsync(descriptor) }) == 0 || errno == EINVAL else {
      throw failure()
    }
  }

  public func bootIdentifier() -> BootIdentifier { boot }

  static func directory(containing path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Where /proc is not there the answer is random: then nothing that was not flushed is believed
  /// after the process that wrote it has gone, which is safe.
  private static func readBootIdentifier() -> BootIdentifier {
    if let file = try? PosixFile(path: "/proc/sys/kernel/random/boot_id", mode: .readOnly) {
      defer { file.close() }
      var text = [UInt8](repeating: 0, count: 64)
      let count = (try? text.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }) ?? 0
      if let identifier = BootIdentifier(hexadecimal: text[..<count]) { return identifier }
    }
    return BootIdentifier(high: .random(in: 1 ... .max), low: .random(in: 0 ... .max))
  }
}

extension BootIdentifier {
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

/// Calls again as long as a signal interrupts the call.
@inline(__always)
func retryingInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
