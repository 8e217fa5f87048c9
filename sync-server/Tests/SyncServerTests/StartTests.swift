import Foundation
import Glibc
import ServerKit
import Testing

@Suite("a server that starts") struct StartTests {
  @Test("tells its service manager when it listens, and when it has been asked to end")
  func notifies() async throws {
    let server = try ServerProcess()
    let path = server.folder.appendingPathComponent("notify").path
    let manager = try NotifySocket(path)
    try await server.start(environment: ["NOTIFY_SOCKET": path])
    #expect(server.port > 0)
    #expect(manager.receive().hasPrefix("READY=1\n"))
    #expect(server.stop() == 0)
    #expect(manager.receive() == "STOPPING=1")
  }

  @Test("that cannot start is not waited for")
  func failure() async throws {
    let server = try ServerProcess()
    await #expect(throws: ServerProcess.NotStarted.self) {
      try await server.start(["--certificate", "/nowhere"])
    }
  }

  private func problem(
    of server: ServerProcess, _ arguments: [String] = [], environment: [String: String] = [:]
  ) async -> String {
    do {
      try await server.start(arguments, environment: environment)
      return "it starts"
    } catch { return "\(error)" }
  }

  @Test("says what is wrong with its options")
  func options() async throws {
    let server = try ServerProcess()
    #expect(await problem(of: server, ["--port", "99999"]).contains("A port is between"))
    #expect(
      await problem(of: server, ["--certificate", "/nowhere/a", "--key", "/nowhere/b"])
        .contains("/nowhere/a is no certificate"))
    let missing = await problem(of: server, ["--config", "/nowhere/c"])
    #expect(missing.contains("/nowhere/c") && !missing.contains("NSCocoa"), "\(missing)")
  }

  @Test("says what is wrong with its folder, in words for people")
  func folder() async throws {
    let server = try ServerProcess()
    let file = server.folder.appendingPathComponent("file").path
    try "x".write(toFile: file, atomically: true, encoding: .utf8)
    server.data = file + "/data"
    let message = await problem(of: server)
    #expect(message.contains(server.data) && message.contains("Not a directory"), "\(message)")
    #expect(!message.contains("NSCocoa"), "\(message)")
    server.data = ""
    #expect(await problem(of: server).contains("Say where the data is"))
  }

  @Test(
    "refuses a secret that is damaged",
    arguments: ["a", "\n", "two words, not one word at all"])
  func secret(text: String) async throws {
    let server = try ServerProcess()
    try await server.start()
    #expect(server.stop() == 0)
    let path = server.data + "/signing.key"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(await problem(of: server).contains("\(path) is damaged"))
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let message = await problem(of: server)
    #expect(message.contains(path) && !message.contains("NSCocoa"), "\(message)")
  }

  @Test("warns of a secret that others may read")
  func permissions() async throws {
    let server = try ServerProcess()
    try await server.start()
    #expect(server.stop() == 0)
    let log = server.folder.appendingPathComponent("log")
    #expect(try !String(contentsOf: log, encoding: .utf8).contains("read by others"))
    let path = server.data + "/signing.key"
    unsafe chmod(path, 0o644)
    try await server.start()
    let text = try String(contentsOf: log, encoding: .utf8)
    #expect(text.contains("read by others") && text.contains(path))
  }
}

/// The socket of a service manager.
private final class NotifySocket {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    let isBound = unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound)
  }

  deinit { close(descriptor) }

  /// The next message; empty if none comes.
  func receive() -> String {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
