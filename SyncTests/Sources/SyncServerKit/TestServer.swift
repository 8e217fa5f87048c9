import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import SyncProtocol

/// A server on a socket of this machine: accounts, and the server core over memory.
public final class TestServer: @unchecked Sendable {
  // Sendable: all that changes is used on the one loop.

  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private var listening: (any Channel)?
  private var channels: [ObjectIdentifier: any Channel] = [:]
  var core: ServerCore<MemoryStorage>
  var sessions: [ObjectIdentifier: SocketHandler] = [:]
  var batchMerged: (String) -> Void = { _ in }
  let accounts = Accounts()
  var failures = Failures()
  /// Where it listens.
  public private(set) var port = 0

  /// Starts it.
  ///
  /// - Parameter epoch: which history it has; that of another server is another one.
  public init(epoch: UInt64 = 1) throws {
    core = try ServerCore(storage: MemoryStorage(epoch: epoch), isSchemaOpen: true)
    try listen(port: 0)
  }

  deinit { try? group.syncShutdownGracefully() }

  /// The server's URL.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// Lets no connection in, and ends those that are there.
  public func goAway() throws {
    try listening?.close().wait()
    listening = nil
    try endConnections()
  }

  /// Ends the connections that are there; new ones are let in.
  public func endConnections() throws {
    try onLoop { for channel in self.channels.values { channel.close(promise: nil) } }
  }

  /// Listens again, where it did.
  public func comeBack() throws { try listen(port: port) }

  /// From now on the tokens that were given are not taken.
  public func forgetTokens() throws {
    try onLoop { self.accounts.access = [:] }
  }

  /// All that it has.
  public struct Backup: Sendable {
    fileprivate let storage: MemoryStorage
  }

  /// What it has now.
  public func makeBackup() throws -> Backup {
    try onLoop { Backup(storage: self.core.storage) }
  }

  /// Goes away and has another history from then on, beginning with what it has now or with a
  /// backup.
  public func restore(_ backup: Backup? = nil) throws {
    try goAway()
    try onLoop {
      var storage = backup?.storage ?? self.core.storage
      storage.startNewEpoch(UInt64.random(in: 2...UInt64.max))
      self.core = try ServerCore(storage: storage, isSchemaOpen: true)
    }
  }

  /// As if an older backup had been restored.
  public func startNewEpoch() throws {
    try restore()
    try comeBack()
  }

  /// How many batches of uploads were merged.
  public var version: UInt64 {
    get throws { try onLoop { self.core.head.version.rawValue } }
  }

  /// From now on, for each batch that is merged, what the client that sent it calls itself.
  public func batches() throws -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream<String>.makeStream()
    try onLoop { self.batchMerged = { continuation.yield($0) } }
    return stream
  }

  /// Does something where all that changes is used.
  func onLoop<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
    try group.next().submit(body).wait()
  }

  private func listen(port: Int) throws {
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try self.initialize(channel) }
      }
    let channel = try bootstrap.bind(host: "127.0.0.1", port: port).wait()
    listening = channel
    self.port = channel.localAddress?.port ?? 0
  }

  private func initialize(_ channel: any Channel) throws {
    channels[ObjectIdentifier(channel)] = channel
    channel.closeFuture.whenComplete { _ in self.channels[ObjectIdentifier(channel)] = nil }
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: 4 << 20,
      shouldUpgrade: { channel, head in
        let isSync = head.uri.hasPrefix("/sync/") && !self.failures.hasMoved
        return channel.eventLoop.makeSucceededFuture(isSync ? HTTPHeaders() : nil)
      },
      upgradePipelineHandler: { channel, head in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            SocketHandler(
              self, app: String(head.uri.dropFirst("/sync/".count)),
              agent: head.headers.first(name: "User-Agent") ?? ""))
        }
      })
    let requests = RequestHandler(accounts)
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withServerUpgrade: (
        upgraders: [upgrader],
        completionHandler: { context in
          context.pipeline.syncOperations.removeHandler(requests, promise: nil)
        }
      ))
    try channel.pipeline.syncOperations.addHandler(requests)
  }

  /// Makes durable what was merged, and sends everybody what is new.
  func settle() {
    try? core.flush()
    for session in sessions.values { session.poll() }
  }
}

/// One connection of sync.
final class SocketHandler: ChannelInboundHandler, @unchecked Sendable {
  // Sendable: used on the one loop.
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let server: TestServer
  private var session: ServerSession
  private var context: ChannelHandlerContext?
  private let agent: String
  /// What else comes on this connection is not for the session.
  private var isRefused = false
  /// Whether nothing more is sent.
  private var isCut = false

  init(_ server: TestServer, app: String, agent: String) {
    self.server = server
    self.agent = agent
    session = ServerSession(app: Text(app))
  }

  private var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1000) }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    server.sessions[ObjectIdentifier(self)] = self
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    server.sessions[ObjectIdentifier(self)] = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .binary:
      let bytes = Array(frame.unmaskedData.readableBytesView)
      if isRefused { return }
      if let refusal = server.refusal(of: bytes, now: now) {
        isRefused = !server.failures.answersOnlyPings
        return obey(refusal)
      }
      let version = server.core.head.version
      obey(session.receive(bytes, &server.core, now: now))
      server.settle()
      if server.core.head.version > version { server.batchMerged(agent) }
    case .connectionClose: context.close(promise: nil)
    default: break
    }
  }

  func poll() {
    if isRefused || isCut { return }
    while true {
      let actions = session.poll(&server.core, now: now)
      if actions.isEmpty { return }
      obey(actions)
    }
  }

  private func obey(_ actions: [SessionAction]) {
    for action in actions {
      switch action {
      case .send(let bytes):
        if isCut { return }
        if server.cuts(before: bytes) {
          isCut = true
          if !server.failures.stalls { endWhenSent() }
          return
        }
        let frame = WebSocketFrame(fin: true, opcode: .binary, data: ByteBuffer(bytes: bytes))
        later { $0.writeAndFlush(self.wrapOutboundOut(frame), promise: nil) }
      case .verify(let token):
        let user = server.accounts.access[token.string]
        obey(session.authenticate(user.map { Text($0) }, expiry: .max, now: now))
      case .close: later { $0.close(promise: nil) }
      }
    }
  }

  /// Ends the connection when what was written to it has left: closing it would drop that.
  private func endWhenSent() {
    let last = WebSocketFrame(fin: true, opcode: .pong, data: ByteBuffer())
    later { context in
      let sent = context.writeAndFlush(self.wrapOutboundOut(last))
      sent.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }
  }

  /// At once, or after the delay that a test wants.
  private func later(_ body: @escaping @Sendable (ChannelHandlerContext) -> Void) {
    let delay = server.failures.delayMilliseconds
    guard delay > 0 else { return context.map(body) ?? () }
    context?.eventLoop.scheduleTask(in: .milliseconds(delay)) { self.context.map(body) ?? () }
  }
}
