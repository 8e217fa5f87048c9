import Foundation
import NIOCore
import NIOWebSocket
import ServerKit
import SyncProtocol
import Testing

/// What is left when things go wrong.
@Suite struct FailureTests {
  /// Writes tasks one after the other, and notes which ones the server has acknowledged.
  private func upload(
    _ device: Device, _ number: Int64, until isOver: @escaping @Sendable () -> Bool
  ) async throws -> [Int64] {
    var acknowledged: [Int64] = []
    var key = number * 1_000_000
    while !isOver() {
      key += 1
      let task = key
      try await device.write { $0.addTask(task, title: "task \(task)") }
      try await device.wait("the acknowledgement or the end") { core, session in
        !core.isDirty || session == nil
      }
      guard try await device.read({ !$0.isDirty }) else { break }
      acknowledged.append(key)
    }
    return acknowledged
  }

  @Test func whatWasAcknowledgedIsThereAfterKills() async throws {
    let kills = Int(ProcessInfo.processInfo.environment["SERVER_KILLS"] ?? "") ?? 8
    let server = try ServerProcess()
    try await server.start()
    let devices = (1...3).map { Device(UInt64($0)) }
    for device in devices { try await device.write { $0.subscribe() } }
    let token = try await server.anonymous()
    var acknowledged: Set<Int64> = []
    for round in 0..<kills {
      for device in devices { try await device.connect(server, token: token) }
      let found = try await withThrowingTaskGroup(of: [Int64].self) { group in
        for (index, device) in devices.enumerated() {
          let number = Int64(round * devices.count + index + 1)
          group.addTask { try await upload(device, number) { false } }
        }
        try await Task.sleep(for: .milliseconds(20 + 17 * (round % 7)))
        server.kill()
        return try await group.reduce(into: []) { $0 += $1 }
      }
      acknowledged.formUnion(found)
      try await server.start()
    }
    let reader = Device(99)
    try await reader.write { $0.subscribe() }
    try await reader.connect(server, token: token)
    try await reader.wait("the first download") { core, _ in
      core.storage.record.completeQueryVersion == 1
    }
    let found = try await reader.read { $0.tasks }
    #expect(acknowledged.subtracting(found) == [])
    #expect(acknowledged.count > kills)
    // What was not acknowledged is sent again.
    for device in devices {
      try await device.connect(server, token: token)
      try await device.waitForUpload()
    }
    let all = try await devices[0].read { $0.tasks }
    try await reader.wait("all that was written") { core, _ in core.tasks.isSuperset(of: all) }
  }

  @Test func aRestartIsNoRebase() async throws {
    let server = try ServerProcess()
    try await server.start()
    let device = Device(1)
    let token = try await server.anonymous()
    try await device.write { core in
      core.subscribe()
      for key in 1...50 { core.addTask(Int64(key), title: "task") }
    }
    try await device.connect(server, token: token)
    try await device.waitForUpload()
    #expect(server.stop() == 0)
    try await device.wait("the end") { _, session in session == nil }
    let before = try await device.read { $0.storage.record.cursor }
    try await server.start()
    try await device.connect(server, token: token)
    try await device.write { $0.addTask(100, title: "later") }
    try await device.waitForUpload()
    let after = try await device.read { $0.storage.record.cursor }
    // A rebase would have brought all again, in a version of its own.
    #expect(after == before.next)
  }

  @Test func aFullDiskIsSaidAndNothingIsLost() async throws {
    let server = try ServerProcess()
    try await server.start(megabytesMax: 2)
    let device = Device(1)
    let token = try await server.anonymous()
    try await device.write { $0.subscribe() }
    try await device.connect(server, token: token)
    var key: Int64 = 0
    let filler = String(repeating: "x", count: 100_000)
    while try await device.read({ !$0.isDirty }), key < 100 {
      key += 1
      let task = key
      try await device.write { $0.addTask(task, title: filler) }
      try await device.wait("the acknowledgement or the end") { core, session in
        !core.isDirty || session == nil
      }
    }
    #expect(try await device.onLoop { $0.failure?.code } == .unavailable)
    #expect(key > 3 && key < 100)
    let ready = try await server.ask("GET", "/health/ready")
    #expect(ready.status == 503)
    #expect(try await server.ask("GET", "/health/live").status == 200)
    _ = server.stop()
    try await server.start()
    try await device.connect(server, token: token)
    try await device.waitForUpload()
    let reader = Device(2)
    try await reader.write { $0.subscribe() }
    try await reader.connect(server, token: token)
    let count = Int(key)
    try await reader.wait("all tasks") { core, _ in core.tasks.count == count }
  }

  @Test func hostileFramesCloseTheirConnectionAlone() async throws {
    let server = try ServerProcess()
    try await server.start()
    let token = try await server.anonymous()
    let good = Device(1)
    try await good.write { $0.subscribe() }
    try await good.connect(server, token: token)
    var random = SystemRandomNumberGenerator()
    for round in 0..<60 {
      let channel = try await Device.open(server, handler: { Silent() })
      var bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      if round % 3 == 0 { bytes += [UInt8](repeating: 0x55, count: 2 << 20) }
      if round % 3 == 1 {
        let hello = Frame.hello(oldest: 1, newest: 1, app: "demo").encoded
        channel.writeAndFlush(Device.frame(hello), promise: nil)
        channel.writeAndFlush(Device.frame(Frame.token(Text(token)).encoded), promise: nil)
      }
      if !bytes.isEmpty && round % 2 == 0 { bytes[0] = UInt8(round % 17) }
      let opcode: WebSocketOpcode = round % 7 == 5 ? .text : .binary
      channel.writeAndFlush(Device.frame(bytes, opcode), promise: nil)
      channel.writeAndFlush(Device.frame([0xFF]), promise: nil)
      try await channel.closeFuture.get()
    }
    // The file of another user, too.
    let thief = Device(1)
    try await thief.connect(server, token: try await server.anonymous())
    try await thief.wait("the refusal") { _, session in session == nil }
    #expect(try await thief.onLoop { $0.failure?.code } == .foreignClientFile)
    try await good.write { $0.addTask(1, title: "still here") }
    try await good.waitForUpload()
  }

  /// Takes no notice.
  private final class Silent: ChannelInboundHandler, Sendable {
    typealias InboundIn = WebSocketFrame
  }
}
