import Foundation
import RealmSwift
import Synchronization

/// A process that writes to a synced file on and on (`SteadyWriter`).
final class WritingDevice: Sendable {
  private struct State {
    var line: [UInt8] = []
    var isOver = false
    var hears: [String: CheckedContinuation<Void, Never>] = [:]
    var heard: Set<String> = []
    var written = 0
    var goal: (written: Int, reached: CheckedContinuation<Void, Never>)?
    var waitsMicroseconds: [Int] = []
    var latenessMicroseconds: [Int] = []
  }

  let name: String
  private let process: Process
  private let input = Pipe()
  private let output = Pipe()
  private let state = Mutex(State())

  /// Starts the process, which opens no file yet.
  init(_ name: String, _ app: App, _ url: String, _ configuration: Realm.Configuration) throws {
    self.name = name
    let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    process = Process()
    process.executableURL = products.appendingPathComponent("SyncDevice")
    process.arguments = [
      app.appId, url, configuration.fileURL!.path, "a@b.c", "secret", name, "5",
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try output.fileHandleForWriting.close()
    Thread.detachNewThread { [self] in
      while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
        heard(data)
      }
      ended()
    }
  }

  /// Opens the file and begins to write.
  func begin() async {
    await hears("ready")
    input.fileHandleForWriting.write(Data("\n".utf8))
    await hears("open")
  }

  /// Waits until it has made so many commits from now on.
  func writes(_ count: Int) async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.goal = ($0.written + count, continuation) }
    }
  }

  /// Kills it, and has read all that it has said when this returns.
  func kill() async {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    await hears("")
    process.waitUntilExit()
    try? input.fileHandleForWriting.close()
    try? output.fileHandleForReading.close()
  }

  /// How many commits it has said that it made.
  var written: Int { state.withLock { $0.written } }

  /// For how long it has waited for its turn to write, each time.
  var waitsMicroseconds: [Int] { state.withLock { $0.waitsMicroseconds } }

  /// For how long it has waited for a processor, each time.
  var latenessMicroseconds: [Int] { state.withLock { $0.latenessMicroseconds } }

  /// Waits for a line; the empty one is the end of what it says.
  private func hears(_ line: String) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.isOver || state.heard.contains(line) { return true }
        state.hears[line] = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func heard(_ data: Data) {
    let waiting = state.withLock { state in
      var lines: [String] = []
      for byte in data {
        guard byte == UInt8(ascii: "\n") else {
          state.line.append(byte)
          continue
        }
        lines.append(String(decoding: state.line, as: UTF8.self))
        state.line = []
      }
      return lines.compactMap { Self.take($0, &state) }
    }
    for continuation in waiting { continuation.resume() }
  }

  private func ended() {
    let waiting = state.withLock { state in
      state.isOver = true
      defer {
        state.hears = [:]
        state.goal = nil
      }
      return Array(state.hears.values) + [state.goal?.reached].compactMap { $0 }
    }
    for continuation in waiting { continuation.resume() }
  }

  private static func take(
    _ line: String, _ state: inout State
  ) -> CheckedContinuation<Void, Never>? {
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 3 else {
      state.heard.insert(line)
      return state.hears.removeValue(forKey: line)
    }
    state.written = numbers[0] + 1
    state.waitsMicroseconds.append(numbers[1])
    state.latenessMicroseconds.append(numbers[2])
    guard let goal = state.goal, state.written >= goal.written else { return nil }
    state.goal = nil
    return goal.reached
  }
}
