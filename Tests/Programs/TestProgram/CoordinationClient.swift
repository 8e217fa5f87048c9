import Coordination
import EngineLab
import Glibc
import Platform

/// Opens the lock-file of the data file at a path, then obeys one command per line of standard
/// input and answers each with one line on standard output.
final class CoordinationClient {
  private let dataFile: any SystemFile
  private let lockPath: String
  private var lockFile: LockFile?
  private var pins: [Pin] = []
  private var listener: CommitListener?

  init(path: String) throws {
    dataFile = try PosixSystem.shared.openFile(path: path, mode: .create)
    lockPath = path + ".lock"
  }

  func run() {
    say("ready")
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      let numbers = words.compactMap { UInt64($0) }
      let command = words.prefix { UInt64($0) == nil }.joined(separator: " ")
      let answer = answer(command, numbers)
      if !answer.isEmpty { say(answer) }
    }
  }

  private func answer(_ command: String, _ numbers: [UInt64]) -> String {
    do {
      return try perform(command, numbers)
    } catch let error as LockFileOpenError<Never> {
      if case .lockFile(let error) = error { return "error \(error.code)" }
      return "error"
    } catch let error as LockFileError {
      return "error \(error.code)"
    } catch {
      return "error \(error)"
    }
  }

  private func perform(_ command: String, _ numbers: [UInt64]) throws -> String {
    switch command {
    case "open":
      var recovered = false
      let opened: LockFile = try LockFile.open(path: lockPath, dataFile: dataFile) {
        (_) throws(Never) in
        recovered = true
        return .init(newest: .init(version: 1, root: 10, logicalSize: 100), durable: 1)
      }
      lockFile = opened
      return recovered ? "alone" : "member"
    case "open and stay in recovery":
      _ = try LockFile.open(path: lockPath, dataFile: dataFile) { (_) throws(Never) in
        say("recovering")
        while true { pause() }
      }
      return "unreachable"
    case "listen":
      listener = try lockFile!.addListener { [lockFile] in
        say("heard \(lockFile!.newestVersion) \(MonotonicClock.now())")
      }
      return "listening"
    case "pin":
      let pin = try lockFile!.pinNewest(label: PinLabel("child"))
      pins.append(pin)
      return "pinned \(pin.version)"
    case "unpin":
      lockFile!.unpin(pins.removeLast())
      return "unpinned"
    case "write":
      try lockFile!.lockWriter()
      return "writing"
    case "publish":
      publish(Version(numbers[0]))
      lockFile!.unlockWriter()
      lockFile!.wakeOthers()
      return "published"
    case "increment":
      for _ in 0..<numbers[0] { try increment() }
      return "incremented"
    case "fork":
      return useInForkedChild()
    case "abandon":
      return abandonToForkedChild()
    case "agent":
      return try lockFile!.tryTakeAgentRole() ? "agent" : "refused"
    case "newest":
      let newest = try lockFile!.newest()
      return "newest \(newest.version) \(newest.root) \(newest.logicalSize)"
    case "close":
      listener = nil
      lockFile?.close()
      lockFile = nil
      return "closed"
    default:
      return "unknown \(command)"
    }
  }

  /// Says what became of a forked child that used the lock-file; its last words come first.
  private func useInForkedChild() -> String {
    let child = fork()
    if child == 0 {
      dup2(1, 2)
      _ = lockFile!.newestVersion
      _exit(0)
    }
    var status: Int32 = 0
    unsafe waitpid(child, &status, 0)
    return "child ended by signal \(status & 0x7F)"
  }

  /// Leaves a forked child behind that holds on to everything but does nothing except to tell its
  /// number, which also says that fork() has returned in it.
  private func abandonToForkedChild() -> String {
    guard fork() == 0 else { return "" }
    say("child \(getpid())")
    while true { pause() }
  }

  private func fork() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    return unsafe unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)()
  }

  /// One commit that no other may overlap.
  private func increment() throws {
    try lockFile!.lockWriter()
    publish(lockFile!.newestVersion.next)
    lockFile!.unlockWriter()
  }

  private func publish(_ version: Version) {
    let number = version.rawValue
    lockFile!.publish(.init(version: version, root: number * 10, logicalSize: number * 100))
  }
}
