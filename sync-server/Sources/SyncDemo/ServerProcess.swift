import Foundation

/// The server, as a program of its own.
final class ServerProcess {
  private let process = Process()
  private let program: String
  private let data: String
  private(set) var url = ""

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  init(program: String, folder: String) throws {
    self.program = program
    data = folder + "/server"
    let announcement = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = [
      "serve", "--data", data, "--port", "0", "--port-descriptor", "1", "--log", "error",
    ]
    process.standardOutput = announcement
    try process.run()
    // Its end is then the server's end.
    try announcement.fileHandleForWriting.close()
    let line = String(
      decoding: announcement.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Failure(description: "the server \(program) did not start")
    }
    url = "http://127.0.0.1:\(port)"
  }

  /// Ends it as a service manager does.
  func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  /// What the server's own tool says of its data.
  func verify() throws -> String {
    let (tool, output) = (Process(), Pipe())
    tool.executableURL = URL(filePath: program)
    tool.arguments = ["verify", "--data", data]
    tool.standardOutput = output
    try tool.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    tool.waitUntilExit()
    if tool.terminationStatus != 0 { throw Failure(description: "the server's data: \(text)") }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
