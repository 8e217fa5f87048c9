import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOWebSocket
import SyncProtocol
import Testing

@testable import SyncServer

/// A server's end of a WebSocket whose client is silent, or does not read; time is the test's.
@Suite(.timeLimit(.minutes(5))) struct SocketTests {
  /// Holds back what is written, as a socket does whose peer does not read.
  private final class Gate: ChannelOutboundHandler, @unchecked Sendable {
    // Sendable: everything is used on the channel's loop.
    typealias OutboundIn = WebSocketFrame

    private var held: [EventLoopPromise<Void>?] = []
    private var isOpen = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if isOpen { return promise?.succeed() ?? () }
      held.append(promise)
    }

    func open() {
      isOpen = true
      for promise in held { promise?.succeed() }
      held = []
    }
  }

  private final class Bench {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("socket-\(UUID().uuidString)")
    let loop = NIOAsyncTestingEventLoop()
    let channel: NIOAsyncTestingChannel
    let gate = Gate()

    init(_ limits: ServerLimits = ServerLimits()) async throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let app = try AppHost(
        name: "demo", path: folder.path + "/data.realm", isSchemaOpen: true, limits: limits,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        metrics: AppMetrics(app: "demo")
      ) { _ in nil }
      channel = NIOAsyncTestingChannel(loop: loop)
      _ = try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/test"))
      let (channel, gate) = (channel, gate)
      try await loop.submit {
        try channel.pipeline.syncOperations.addHandler(gate)
        try channel.pipeline.syncOperations.addHandler(SocketHandler(app: app, limits: limits))
      }.get()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var isReading: Bool {
      let set = channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }
      return set?.value as? Bool ?? true
    }

    func receive(_ bytes: [UInt8], _ opcode: WebSocketOpcode = .binary) async throws {
      try await channel.writeInbound(
        WebSocketFrame(fin: true, opcode: opcode, data: ByteBuffer(bytes: bytes)))
    }

    /// Lets the loop and the app do what they have to do, until something is so.
    func run(until condition: () -> Bool) async {
      while !condition() {
        await loop.run()
        await Task.yield()
      }
    }

    func openGate() async throws {
      let gate = gate
      try await loop.submit { gate.open() }.get()
    }

    /// Sends something that is answered, until the answers are too much.
    func fill() async throws {
      for number in UInt64(0)..<100 { try await receive(Frame.ping(number).encoded) }
      await run { !isReading }
    }
  }

  @Test func aClientThatIsSilentIsAskedAndThenLeft() async throws {
    let bench = try await Bench()
    try await bench.openGate()
    for _ in 0..<3 {
      await bench.loop.advanceTime(by: .seconds(31))
      #expect(bench.channel.isActive)
      try await bench.receive([], .pong)
    }
    await bench.loop.advanceTime(by: .seconds(31))
    #expect(bench.channel.isActive)
    await bench.loop.advanceTime(by: .seconds(31))
    #expect(!bench.channel.isActive)
  }

  @Test func aClientThatDoesNotReadIsNotReadFrom() async throws {
    var limits = ServerLimits()
    limits.unsentBytes = 64
    let bench = try await Bench(limits)
    #expect(bench.isReading)
    try await bench.fill()
    try await bench.openGate()
    await bench.run { bench.isReading }
  }

  @Test func aClientThatPingsAndDoesNotReadIsNotReadFrom() async throws {
    var limits = ServerLimits()
    limits.unsentBytes = 2_048
    let bench = try await Bench(limits)
    for _ in 0..<100 { try await bench.receive([1, 2, 3], .ping) }
    #expect(!bench.isReading)
    try await bench.openGate()
    await bench.run { bench.isReading }
  }

  @Test func aClientThatNeverReadsIsLeft() async throws {
    var limits = ServerLimits()
    limits.unsentBytes = 64
    let bench = try await Bench(limits)
    try await bench.fill()
    for _ in 0..<3 {
      await bench.loop.advanceTime(by: .seconds(31))
      try await bench.receive([], .pong)
      #expect(bench.channel.isActive)
    }
    for _ in 0..<3 where bench.channel.isActive {
      await bench.loop.advanceTime(by: .seconds(31))
      if bench.channel.isActive { try await bench.receive([], .pong) }
    }
    #expect(!bench.channel.isActive)
  }
}
