import Glibc
import Platform
import Synchronization

/// A child process that answers lines with lines.
final class ChildProcess {
  let number: pid_t
  private let input: Int32
  private let output: UnsafeMutablePointer<FILE>
  private var isGone = false

  /// Children made at the same time must not inherit each other's pipes.
  private static let spawning = Mutex(())

  /// Runs the test process of this package, or that through another program (`prefix`).
  init(prefix: [String] = [], arguments: [String]) throws {
    let words = prefix + [ChildProcess.program] + arguments
    (number, input, output) = try ChildProcess.spawning.withLock { _ in
      let toChild = try ChildProcess.pipe()
      let fromChild = try ChildProcess.pipe()
      defer {
        Glibc.close(toChild.read)
        Glibc.close(fromChild.write)
      }
      let number = try ChildProcess.spawn(words, input: toChild.read, output: fromChild.write)
      return (number, toChild.write, fdopen(fromChild.read, "r"))
    }
    // A child that could not start ends the stream.
    guard readLine() == "ready" else {
      kill()
      throw SystemError(call: .open, path: words.joined(separator: " "), code: 0)
    }
  }

  private static func pipe() throws(SystemError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw SystemError(call: .open, path: "pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ words: [String], input: Int32, output: Int32
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var pointers = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var child: pid_t = 0
    let code = posix_spawnp(&child, words[0], &actions, nil, &pointers, environ)
    guard code == 0 else { throw SystemError(call: .open, path: words[0], code: code) }
    return child
  }

  /// Lies beside the test bundle.
  private static var program: String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes {
      readlink("/proc/self/exe", $0.baseAddress!, $0.count)
    }
    let path = String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
    let directory = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    return directory + "/LockFileTestProcess"
  }

  deinit { kill() }

  func send(_ command: String) {
    let line = Array((command + "\n").utf8)
    _ = line.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
  }

  func readLine() -> String? {
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    let count = getline(&line, &capacity, output)
    guard count > 0, let line else { return nil }
    return String(String(cString: line).dropLast())
  }

  @discardableResult
  func ask(_ command: String) -> String? {
    send(command)
    return readLine()
  }

  /// SIGKILL, and waits until the kernel has buried it.
  func kill() {
    guard !isGone else { return }
    isGone = true
    Glibc.kill(number, SIGKILL)
    var status: Int32 = 0
    while waitpid(number, &status, 0) < 0, errno == EINTR {}
    Glibc.close(input)
    fclose(output)
  }
}
