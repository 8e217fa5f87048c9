import Glibc
import Platform
import Synchronization

/// A child process that answers lines with lines.
public final class ChildProcess {
  public enum Failure: Error, CustomStringConvertible {
    case spawn(code: Int32)
    /// The child closed its output, which it does when it dies.
    case ended(status: Int32?, after: String)
    case silent(seconds: Int, after: String)

    public var description: String {
      switch self {
      case .spawn(let code): "the child could not be started: errno \(code)"
      case .ended(let status, let after):
        "the child ended (wait status \(status.map(String.init) ?? "unknown")) after '\(after)'"
      case .silent(let seconds, let after):
        "the child said nothing for \(seconds) s after '\(after)'"
      }
    }
  }

  public let number: pid_t
  private let input: Int32
  private let output: Int32
  private var received: [UInt8] = []
  private var status: Int32?
  private var lastSent = "start"

  /// Children made at the same time must not inherit each other's pipes.
  private static let spawning = Mutex(())

  /// The path of a program that lies beside the running one.
  private static func path(of program: String) -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe readlink("/proc/self/exe", $0.baseAddress!, $0.count)
    }
    let path = String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
    let directory = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    return directory + "/" + program
  }

  /// - Parameters:
  ///   - prefix: a program and its arguments through which the child is started.
  ///   - program: the name of a program that lies beside the running one.
  public init(
    prefix: [String] = [], program: String, _ arguments: [String]
  ) throws(Failure) {
    let words = prefix + [Self.path(of: program)] + arguments
    let made: Result<(pid_t, Int32, Int32), Failure> = Self.spawning.withLock { _ in
      do throws(Failure) {
        let toChild = try Self.pipe()
        let fromChild = try Self.pipe()
        defer {
          close(toChild.read)
          close(fromChild.write)
        }
        let number = try Self.spawn(words, input: toChild.read, output: fromChild.write)
        return .success((number, toChild.write, fromChild.read))
      } catch {
        return .failure(error)
      }
    }
    (number, input, output) = try made.get()
  }

  private static func pipe() throws(Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard unsafe Glibc.pipe(&ends) == 0 else { throw .spawn(code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func spawn(
    _ words: [String], input: Int32, output: Int32
  ) throws(Failure) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let code = unsafe posix_spawnp(&child, words[0], &actions, nil, &pointers, environ)
    guard code == 0 else { throw .spawn(code: code) }
    return child
  }

  deinit {
    kill()
    close(input)
    close(output)
  }

  // MARK: Talking

  /// A child that is gone does not hear it.
  public func send(_ command: String) {
    lastSent = command
    let line = Array((command + "\n").utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
  }

  public func readLine(seconds: Int = 60) throws(Failure) -> String {
    let deadline = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    while true {
      if let end = received.firstIndex(of: 10) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      let now = MonotonicClock.now()
      guard now < deadline else { throw .silent(seconds: seconds, after: lastSent) }
      var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&wait, 1, Int32((deadline - now) / 1_000_000 + 1)) > 0 else { continue }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(output, $0.baseAddress, $0.count)
      }
      guard count > 0 else {
        throw .ended(status: waitForEnd(), after: lastSent)
      }
      received += buffer[..<count]
    }
  }

  @discardableResult
  public func ask(_ command: String, seconds: Int = 60) throws(Failure) -> String {
    send(command)
    return try readLine(seconds: seconds)
  }

  // MARK: The end

  /// SIGKILL, and waits until the kernel has buried it.
  public func kill() {
    if status != nil { return }
    Glibc.kill(number, SIGKILL)
    waitForEnd()
  }

  /// SIGKILL without waiting.
  public func sendKill() {
    if status == nil { Glibc.kill(number, SIGKILL) }
  }

  /// The wait status of the dead child.
  @discardableResult
  public func waitForEnd() -> Int32? {
    if status != nil { return status }
    var found: Int32 = 0
    while unsafe waitpid(number, &found, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    status = found
    return found
  }
}
