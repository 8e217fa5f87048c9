import Glibc

/// What the processes of a scenario found wrong, a line each, in one file that all append to.
public struct FindingsFile: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  /// In one system call, so that lines of several processes do not mix.
  public func add(_ finding: String) {
    let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return }
    let line = Array("process \(getpid()): \(finding)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  public func all() -> [String] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }
}
