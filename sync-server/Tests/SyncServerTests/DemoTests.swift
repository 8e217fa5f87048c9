import Foundation
import ServerKit
import Testing

/// The demonstration, which is a program that users of the library could write, with the server as
/// it is served.
@Suite struct DemoTests {
  @Test("two devices of two processes each, a kill and an absence end with what the server has")
  func demo() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "sync-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = URL(fileURLWithPath: ServerProcess.program)
    let process = Process()
    process.executableURL = server.deletingLastPathComponent().appendingPathComponent("sync-demo")
    process.arguments = ["--server", server.path, "--folder", folder.path, "--quick"]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["XDG_DATA_HOME": folder.path]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.hasSuffix("demo: ok\n"), "\(text)")
  }
}
