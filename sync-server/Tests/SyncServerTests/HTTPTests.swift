import Foundation
import ServerKit
import Synchronization
import SyncProtocol
import Testing

/// What comes over a socket that no device of ours would send, and how much may come.
@Suite struct HTTPTests {
  private func started(_ environment: [String: String] = [:]) async throws -> ServerProcess {
    let server = try ServerProcess()
    try await server.start(environment: environment)
    return server
  }

  @Test(arguments: [
    "POST /api/app/a b/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
    "GET / HTTP/9.9\r\nHost: x\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}nonsense\r\n\r\n",
    "POST /api/app/a/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: -4\r\n\r\n",
  ])
  func aRequestThatIsNoneIsRefused(text: String) async throws {
    let server = try await started()
    let connection = try RawConnection(server)
    connection.send(text)
    #expect(try connection.status().contains("400"), "\(text)")
  }

  @Test func aBodyThatIsTooLargeIsRefused() async throws {
    let server = try await started()
    let body = ["provider": "anon-user", "x": String(repeating: "y", count: 200_000)]
    let refused = try await server.ask("POST", "/api/app/demo/auth/login", body)
    #expect(refused.status == 413 && refused.text("error_code") == "RequestTooLarge")
  }

  @Test func framesThatAreNotMaskedEndTheConnection() async throws {
    let server = try await started()
    _ = try await server.anonymous()
    let connection = try RawConnection(server)
    try connection.upgrade("demo")
    connection.send([0x82, 0x01, 0x0F])
    // A frame that closes, with 1002.
    let close: [UInt8] = [0x88, 2, 3, 0xEA]
    #expect(try connection.receive(until: close).suffix(4) == close)
  }

  @Test func anAddressLogsInSoOften() async throws {
    let server = try await started(["SYNC_SERVER_LIMITS_ADDRESS_LOGINS": "3"])
    for _ in 0..<3 {
      let known = try await server.ask(
        "POST", "/api/app/demo/auth/login", ["provider": "anon-user"])
      #expect(known.status == 200)
    }
    let refused = try await server.ask(
      "POST", "/api/app/demo/auth/register", ["email": "a@example.com", "password": "difference"])
    #expect(refused.status == 429 && refused.text("error_code") == "TooManyRequests")
  }

  @Test func anAddressHasSoManyConnections() async throws {
    let server = try await started(["SYNC_SERVER_LIMITS_ADDRESS_CONNECTIONS": "2"])
    let request = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
    var held = [try RawConnection(server), try RawConnection(server)]
    for connection in held {
      connection.send(request)
      #expect(try connection.status().contains("200"))
    }
    let third = try RawConnection(server)
    third.send(request)
    #expect(try third.receive().isEmpty)
    held.removeLast()
    // The server may hear of the end a moment later.
    var status = ""
    for _ in 0..<1_000 where status.isEmpty {
      let connection = try RawConnection(server)
      connection.send(request)
      status = try connection.status()
    }
    #expect(status.contains("200"))
  }

  @Test func aUserHasSoManyClientFiles() async throws {
    let server = try await started(["SYNC_SERVER_LIMITS_USER_FILES": "2"])
    let token = try await server.anonymous()
    let devices = (1...4).map { Device(UInt64($0)) }
    for (index, device) in devices.enumerated() {
      try await device.write { core in
        core.subscribe()
        core.addTask(Int64(index), title: "of \(index)")
      }
      try await device.connect(server, token: token)
      try await device.waitForUpload()
      try await device.disconnect()
    }
    let before = try await devices[3].read { $0.storage.record.cursor }
    // The first one's file is gone: it starts over, with what it had not sent.
    try await devices[0].write { $0.addTask(10, title: "offline") }
    try await devices[0].connect(server, token: token)
    let fewest = Mutex(Int.max)
    try await devices[0].wait("all tasks") { core, _ in
      fewest.withLock { $0 = min($0, core.tasks.count) }
      return core.tasks == [0, 1, 2, 3, 10] && !core.isDirty
        && core.storage.record.cursor > before
    }
    // What it had it has all the time.
    #expect(fewest.withLock { $0 } >= 2)
    // The newest one's is not.
    try await devices[3].connect(server, token: token)
    try await devices[3].wait("the task") { core, _ in core.tasks == [0, 1, 2, 3, 10] }
  }

  @Test func queriesTakeSoManyBytes() async throws {
    let server = try await started(["SYNC_SERVER_LIMITS_SUBSCRIPTION_BYTES": "100"])
    let device = Device(1)
    try await device.write { $0.subscribe("owner == '\(String(repeating: "a", count: 100))'") }
    try await device.connect(server, token: try await server.anonymous())
    try await device.wait("the refusal") { _, session in session?.failedQuery != nil }
    let message = try await device.onLoop { $0.failedQuery?.message.string ?? "" }
    #expect(message.contains("100 bytes"), "\(message)")
  }

  @Test func aQueryThatLooksAtTooMuchIsRefused() async throws {
    let server = try await started(["SYNC_SERVER_LIMITS_QUERY_ROWS": "10"])
    let writer = Device(1)
    try await writer.write { core in
      core.addTask(1, title: "a")
      let parts = core.collection("parts")
      for index in 0..<50 {
        core.insert(
          .object(core.name("Part")), at: index, of: parts, in: core.task(1), now: Device.now)
      }
    }
    try await writer.connect(server, token: try await server.anonymous())
    try await writer.waitForUpload()
    let reader = Device(2)
    try await reader.write { $0.subscribe("ANY parts.weight > 5") }
    try await reader.connect(server, token: try await server.anonymous())
    try await reader.wait("the refusal") { _, session in session?.failedQuery != nil }
    let message = try await reader.onLoop { $0.failedQuery?.message.string ?? "" }
    #expect(message.contains("too many objects"), "\(message)")
    try await reader.write { $0.subscribe("owner == 'me'") }
    try await reader.wait("the task") { core, _ in core.title(1) == "a" }
  }
}
