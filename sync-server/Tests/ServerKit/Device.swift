import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import SyncProtocol

/// A raw client of the protocol: a file in memory, and a WebSocket if it is connected.
public final class Device: @unchecked Sendable {
  // Sendable: all that changes is used on `loop` alone.

  /// The client's part of sync.
  public typealias Core = ClientCore<MemoryClientStorage>

  /// What did not come.
  public struct WaitedInVain: Error {
    /// In words.
    public var what: String
  }

  private struct Waiter {
    var condition: @Sendable (Core, ClientSession?) -> Bool
    var promise: EventLoopPromise<Void>
  }

  private struct Repetition {
    var body: @Sendable (inout Core, Int) -> Void
    var end: ContinuousClock.Instant
    var count = 0
    var promise: EventLoopPromise<Int>
  }

  /// A class that devices have.
  public static let task: Text = "Task"
  /// All classes that devices have.
  public static let classes = [
    SchemaClass(
      name: task,
      properties: [
        "_id": PropertyType(.int, .single),
        "title": PropertyType(.string, .single),
        "owner": PropertyType(.string, .single),
        "priority": PropertyType(.int, .single),
        "tags": PropertyType(.string, .list),
        "project": PropertyType(.link, .single, isOptional: true, target: "Project"),
        "parts": PropertyType(.object, .list, target: "Part"),
        "notes": PropertyType(.string, .map),
        "marks": PropertyType(.int, .set),
        "value": PropertyType(.any, .single, isOptional: true),
      ]),
    SchemaClass(
      name: "Project", key: "code",
      properties: [
        "code": PropertyType(.string, .single), "name": PropertyType(.string, .single),
      ]),
    SchemaClass(
      name: "Part", isEmbedded: true, properties: ["weight": PropertyType(.int, .single)]),
  ]

  /// Where all that changes is used.
  public let loop = MultiThreadedEventLoopGroup.singleton.next()
  private var core: Core
  private var session: ClientSession?
  private var channel: (any Channel)?
  private var waiters: [Waiter] = []
  private var repetition: Repetition?
  private var hasUnflushed = false
  /// What the next connection has.
  private var knownClasses = Device.classes
  /// What ended the last connection, on the loop; for those that failed.
  public private(set) var failure: SyncError?

  /// The device with that client file.
  public init(_ number: UInt64) {
    core = Core(storage: MemoryClientStorage(client: ClientID(number)))
    for type in Self.classes {
      _ = core.storage.record.names.add(type.name)
      for name in type.properties.keys.sorted() { _ = core.storage.record.names.add(name) }
    }
  }

  /// Milliseconds since 1970.
  public static var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1_000) }

  /// Connects to an app; what happens then comes by `wait`.
  public func connect(
    _ server: ServerProcess, app: String = "demo", token: String, tls: NIOSSLContext? = nil
  ) async throws {
    let channel = try await Self.open(
      server, app: app, tls: tls, handler: { DeviceHandler(device: self) }, on: loop)
    try await onLoop { device in
      device.channel = channel
      device.session = ClientSession(
        app: Text(app), token: Text(token), classes: device.knownClasses)
      device.perform(device.session!.start())
      device.flush()
    }
  }

  /// A WebSocket to an app.
  public static func open(
    _ server: ServerProcess, app: String = "demo", tls: NIOSSLContext? = nil,
    handler: @escaping @Sendable () -> any ChannelInboundHandler & Sendable,
    on loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
  ) async throws -> any Channel {
    let upgraded = try await ClientBootstrap(group: loop).connect(
      host: "127.0.0.1", port: server.port
    ) { channel in
      channel.eventLoop.makeCompletedFuture {
        if let tls {
          try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: tls, serverHostname: "localhost"))
        }
        let upgrader = NIOTypedWebSocketClientUpgrader<any Channel>(maxFrameSize: 1 << 24) {
          channel, _ in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(handler())
            return channel
          }
        }
        let head = HTTPRequestHead(
          version: .http1_1, method: .GET, uri: "/sync/\(app)", headers: ["Host": "localhost"])
        let configuration = NIOTypedHTTPClientUpgradeConfiguration(
          upgradeRequestHead: head, upgraders: [upgrader]
        ) { $0.eventLoop.makeFailedFuture(ChannelError.connectTimeout(.zero)) }
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
          configuration: .init(upgradeConfiguration: configuration))
      }
    }
    return try await upgraded.get()
  }

  /// Does something on the loop.
  @discardableResult
  public func onLoop<Result: Sendable>(
    _ body: @escaping @Sendable (Device) throws -> Result
  ) async throws -> Result {
    try await loop.submit { try body(self) }.get()
  }

  /// Changes the file in one transaction, and sends what there is to be sent.
  public func write(_ body: @escaping @Sendable (inout Core) throws -> Void) async throws {
    try await onLoop { device in
      try body(&device.core)
      try device.core.storage.commit()
      device.poll()
      device.flush()
    }
  }

  /// Reads the file.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Core) throws -> Result
  ) async throws -> Result {
    try await onLoop { try body($0.core) }
  }

  /// Waits until something is true, for so long at most.
  public func wait(
    _ what: String, seconds: Int64 = 120,
    until condition: @escaping @Sendable (Core, ClientSession?) -> Bool
  ) async throws {
    let promise = loop.makePromise(of: Void.self)
    try await onLoop { device in
      device.waiters.append(Waiter(condition: condition, promise: promise))
      device.check()
    }
    let timeout = loop.scheduleTask(in: .seconds(seconds)) {
      promise.fail(WaitedInVain(what: what))
    }
    defer { timeout.cancel() }
    try await promise.futureResult.get()
  }

  /// Waits until all that was written is acknowledged.
  public func waitForUpload(seconds: Int64 = 120) async throws {
    try await wait("the acknowledgement", seconds: seconds) { core, _ in !core.isDirty }
  }

  /// Writes again and again, each time as soon as all before is acknowledged, until a time.
  ///
  /// - Parameter body: one write; it is told how many were before it.
  /// - Returns: how many were acknowledged.
  public func writeRepeatedly(
    until end: ContinuousClock.Instant, _ body: @escaping @Sendable (inout Core, Int) -> Void
  ) async throws -> Int {
    let promise = loop.makePromise(of: Int.self)
    try await onLoop { device in
      precondition(device.repetition == nil && !device.core.isDirty)
      device.repetition = Repetition(body: body, end: end, promise: promise)
      try device.repeatWrite()
      device.flush()
    }
    return try await promise.futureResult.get()
  }

  /// The query set that the server could not take; on the loop.
  public var failedQuery: (version: UInt64, message: Text)? { session?.failedQuery }

  /// The program has got a property more for tasks, an optional text `extra`; on the loop, between
  /// connections.
  public func growClasses() {
    knownClasses = Self.classes.map { type in
      guard type.name == Self.task else { return type }
      var properties = type.properties
      properties["extra"] = PropertyType(.string, .single, isOptional: true)
      return SchemaClass(name: type.name, properties: properties)
    }
    _ = core.storage.record.names.add("extra")
    core.storage.record.hasNewClasses = true
    do { try core.storage.commit() } catch { preconditionFailure("\(error)") }
  }

  /// Takes nothing of what the server sends, or all again.
  public func setReading(_ isReading: Bool) async throws {
    let channel = try await onLoop { $0.channel }
    try await channel?.setOption(ChannelOptions.autoRead, value: isReading).get()
  }

  /// Closes the connection.
  public func disconnect() async throws {
    let channel = try await onLoop { $0.channel }
    try? await channel?.close().get()
    try await wait("the end of the connection") { _, session in session == nil }
  }

  // MARK: On the loop

  fileprivate func receive(_ bytes: [UInt8]) {
    guard session != nil else { return }
    perform(session!.receive(bytes, &core, now: Self.now))
    poll()
    check()
    if repetition != nil, !core.isDirty {
      repetition!.count += 1
      do { try repeatWrite() } catch { preconditionFailure("\(error)") }
    }
  }

  /// The next write of a repetition, or its end.
  private func repeatWrite() throws {
    guard let repetition else { return }
    if ContinuousClock.now >= repetition.end {
      self.repetition = nil
      return repetition.promise.succeed(repetition.count)
    }
    repetition.body(&core, repetition.count)
    try core.storage.commit()
    poll()
  }

  /// Sends what was written since the last time, in one go.
  fileprivate func flush() {
    if hasUnflushed { channel?.flush() }
    hasUnflushed = false
  }

  fileprivate func closed() {
    failure = session?.failure
    channel = nil
    session = nil
    repetition?.promise.fail(WaitedInVain(what: "the acknowledgement"))
    repetition = nil
    check()
  }

  private func poll() {
    guard session != nil else { return }
    do { perform(try session!.poll(&core)) } catch { preconditionFailure("\(error)") }
  }

  private func perform(_ actions: [SessionAction]) {
    for action in actions {
      switch action {
      case .send(let bytes):
        channel?.write(Self.frame(bytes), promise: nil)
        hasUnflushed = true
      case .close:
        flush()
        channel?.close(promise: nil)
      case .verify: preconditionFailure("that is the server's")
      }
    }
  }

  /// A message to the server.
  public static func frame(_ bytes: [UInt8], _ opcode: WebSocketOpcode = .binary) -> WebSocketFrame
  {
    WebSocketFrame(
      fin: true, opcode: opcode, maskKey: .random(), data: ByteBuffer(bytes: bytes))
  }

  private func check() {
    waiters.removeAll { waiter in
      guard waiter.condition(core, session) else { return false }
      waiter.promise.succeed()
      return true
    }
  }
}

/// Hands messages to a device.
private final class DeviceHandler: ChannelInboundHandler, Sendable {
  typealias InboundIn = WebSocketFrame

  private let device: Device

  init(device: Device) { self.device = device }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = Self.unwrapInboundIn(data)
    switch frame.opcode {
    case .binary: device.receive(Array(frame.unmaskedData.readableBytesView))
    case .connectionClose: context.close(promise: nil)
    case .ping:
      let bytes = Array(frame.unmaskedData.readableBytesView)
      context.channel.writeAndFlush(Device.frame(bytes, .pong), promise: nil)
    default: break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) { device.flush() }

  func channelInactive(context: ChannelHandlerContext) { device.closed() }
}
