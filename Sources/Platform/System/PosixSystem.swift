internal import CPlatform
import Glibc

/// The real machine: Linux, through Glibc.
public final class PosixSystem: System {
  public static let shared = PosixSystem()

  private let boot: BootIdentifier

  private init() {
    boot = BootIdentifier.ofThisBoot()
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

  public var awaitedWordsMax: Int { Int(Futex.awaitedWordsMax) }

  public func wait(onAnyOf words: [AwaitedWord], timeout: UInt64?) {
    if words.count == 1 {
      wait(on: words[0].address, while: words[0].expected, timeout: timeout)
    } else {
      Futex.wait(onAnyOf: words, timeout: timeout)
    }
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
    // Some file systems have nothing to flush for a directory and return EINVAL.
    guard retryingInterrupted({ fsync(descriptor) }) == 0 || errno == EINVAL else {
      throw failure()
    }
  }

  public func bootIdentifier() -> BootIdentifier { boot }

  static func directory(containing path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
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
