import Foundation
import ToolReports

/// The `holdfast` tool, which lies beside this program: the demonstration uses it as anybody would.
struct HoldfastTool {
  let file: String

  func inspect() throws -> InspectReport { try report("inspect") }
  func verify() throws -> VerifyReport { try report("verify") }
  func pins() throws -> PinsReport { try report("pins") }

  private func report<Report: TextReport>(_ command: String) throws -> Report {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "holdfast")
    process.arguments = [command, file, "--json"]
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    if let failure = try? FailureReport(json: text) {
      throw DemoError("holdfast \(command) failed: \(failure.message)")
    }
    return try Report(json: text)
  }
}

/// Something that keeps the demonstration from going on.
struct DemoError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
