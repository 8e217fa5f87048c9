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
}

/// The socket of a service manager.
private final class NotifySocket {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    let isBound = withUnsafePointer(to: address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound)
  }

  deinit { close(descriptor) }

  /// The next message; empty if none comes.
  func receive() -> String {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
