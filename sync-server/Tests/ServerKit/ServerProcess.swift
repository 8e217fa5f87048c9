import Foundation

/// The server as a process of its own.
public final class ServerProcess {
  /// Why a server does not start.
  public struct NotStarted: Error, CustomStringConvertible {
    /// What it said.
    public var description: String
  }

  /// Where its files are; goes with this.
  public let folder: URL
  /// The port that it listens at.
  public private(set) var port = 0
  private var process = Process()

  /// The process, for those who measure it.
  public var identifier: Int32 { process.processIdentifier }

  /// A server with no data.
  public init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "sync-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  /// The folder that is served.
  public lazy var data = folder.appendingPathComponent("data").path

  /// The program, beside the one that runs this.
  public static var program: String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("sync-server").path
  }

  /// Starts the server, and waits until it listens; at the port that it had, if it had one.
  ///
  /// - Parameters:
  ///   - megabytesMax: how large a file it may make.
  ///   - niceness: how far it steps back for other programs, from 0 to 19.
  public func start(
    _ arguments: [String] = [], environment: [String: String] = [:], megabytesMax: Int? = nil,
    niceness: Int = 0
  ) async throws {
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let limit = megabytesMax.map { "trap '' XFSZ; ulimit -f \($0 * 1024); " } ?? ""
    process.arguments =
      [
        "-c", limit + "exec nice -n \(niceness) \"$@\"", "bash",
        Self.program, "serve", "--data", data, "--port", "\(port)", "--port-descriptor", "1",
      ] + arguments
    let log = folder.appendingPathComponent("log")
    if !FileManager.default.fileExists(atPath: log.path) {
      try Data().write(to: log)
    }
    let logHandle = try FileHandle(forWritingTo: log)
    try logHandle.seekToEnd()
    process.standardError = logHandle
    let announcement = Pipe()
    process.standardOutput = announcement
    try process.run()
    // Its end is then the server's end.
    try? announcement.fileHandleForWriting.close()
    let handle = announcement.fileHandleForReading
    let line = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: handle.availableData) }
    }
    let text = String(decoding: line, as: UTF8.self)
    guard let port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      throw NotStarted(description: "the server does not start: \(text)")
    }
    self.port = port
  }

  /// Ends the server at once, as `kill -9` does.
  public func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks the server to shut down, and says how it ended.
  public func stop() -> Int32 {
    terminate()
    return waitForEnd()
  }

  /// Asks the server to shut down.
  public func terminate() { process.terminate() }

  /// Waits until the server has ended, and says how.
  public func waitForEnd() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Runs another subcommand on the server's data; says how it ended and what it said.
  public func run(
    _ arguments: [String], input: String = ""
  ) throws -> (status: Int32, output: String) {
    let command = Process()
    command.executableURL = URL(fileURLWithPath: Self.program)
    command.arguments = arguments + ["--data", data]
    let pipe = Pipe()
    command.standardOutput = pipe
    command.standardError = pipe
    let inputPipe = Pipe()
    command.standardInput = inputPipe
    try command.run()
    try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try inputPipe.fileHandleForWriting.close()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    command.waitUntilExit()
    return (command.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }
}
