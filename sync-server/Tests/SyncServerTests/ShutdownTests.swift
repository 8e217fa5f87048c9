import Foundation
import ServerKit
import Testing

@Suite("a server that shuts down", .timeLimit(.minutes(5))) struct ShutdownTests {
  /// Asks a server to end, and waits until it takes no connections any more.
  private func beginStop(_ server: ServerProcess) async throws {
    server.terminate()
    while (try? RawConnection(server)) != nil { await Task.yield() }
  }

  @Test("says so to a device whose request for a WebSocket comes just then")
  func upgrade() async throws {
    let server = try ServerProcess()
    try await server.start()
    _ = try await server.anonymous()
    let connection = try RawConnection(server)
    let request = RawConnection.upgradeRequest("demo")
    connection.send(String(request.prefix(40)))
    try await connection.waitUntilRead()
    try await beginStop(server)
    connection.send(String(request.dropFirst(40)))
    let said = try connection.receive(until: Array("The server shuts down.".utf8))
    #expect(said.firstRange(of: Array("101 Switching".utf8)) != nil)
    #expect(said.firstRange(of: Array("The server shuts down.".utf8)) != nil)
    #expect(server.waitForEnd() == 0)
  }

  @Test("answers a request that it has begun to read")
  func request() async throws {
    let server = try ServerProcess()
    try await server.start()
    let connection = try RawConnection(server)
    connection.send("GET /health/live HTTP/1.1\r\n")
    try await connection.waitUntilRead()
    try await beginStop(server)
    connection.send("Host: localhost\r\n\r\n")
    #expect(try connection.status() == "HTTP/1.1 200 OK")
    #expect(server.waitForEnd() == 0)
  }

  @Test("does not wait for connections longer than it may")
  func limit() async throws {
    let server = try ServerProcess()
    try await server.start(environment: ["SYNC_SERVER_LIMITS_SHUTDOWN_SECONDS": "1"])
    let connection = try RawConnection(server)
    connection.send(
      "POST /api/app/demo/auth/login HTTP/1.1\r\nHost: localhost\r\n"
        + "Content-Length: 100\r\n\r\n{")
    try await connection.waitUntilRead()
    let start = ContinuousClock.now
    #expect(server.stop() == 0)
    #expect(ContinuousClock.now - start < .seconds(40))
    let log = server.folder.appendingPathComponent("log")
    #expect(try String(contentsOf: log, encoding: .utf8).contains("did not end in time"))
  }

  @Test("ends at once if a connection has said nothing")
  func silent() async throws {
    let server = try ServerProcess()
    try await server.start(environment: ["SYNC_SERVER_LIMITS_SHUTDOWN_SECONDS": "600"])
    let connection = try RawConnection(server)
    _ = try await server.ask("GET", "/health/live")
    #expect(server.stop() == 0)
    #expect(try connection.receive().isEmpty)
  }
}
