#if Sync
  import NIOCore
  import NIOHTTP1
  import NIOWebSocket

  /// One connection for frames of sync, each a binary message. What comes of it is called on the
  /// loop.
  public final class WebSocket: Sendable {
    /// What happens to a connection.
    public struct Events: Sendable {
      let opened: @Sendable (WebSocket) -> Void
      let received: @Sendable ([UInt8]) -> Void
      let closed: @Sendable (TransportError?) -> Void

      /// - Parameters:
      ///   - opened: called once, if the connection could be made.
      ///   - received: called for each message.
      ///   - closed: called once, last, with what went wrong.
      public init(
        opened: @escaping @Sendable (WebSocket) -> Void,
        received: @escaping @Sendable ([UInt8]) -> Void,
        closed: @escaping @Sendable (TransportError?) -> Void
      ) {
        self.opened = opened
        self.received = received
        self.closed = closed
      }
    }

    /// The largest message.
    static let messageBytesMax = 4 << 20

    private let channel: any Channel

    init(channel: any Channel) { self.channel = channel }

    /// Sends a message.
    public func send(_ bytes: [UInt8]) {
      let frame = WebSocketFrame(
        fin: true, opcode: .binary, maskKey: .random(), data: ByteBuffer(bytes: bytes))
      channel.writeAndFlush(frame, promise: nil)
    }

    /// Closes the connection, once what was sent is on its way.
    public func close() {
      let frame = WebSocketFrame(
        fin: true, opcode: .connectionClose, maskKey: .random(), data: ByteBuffer())
      channel.writeAndFlush(frame, promise: nil)
      channel.close(promise: nil)
    }

    /// Connects to a server.
    public static func connect(
      to endpoint: Endpoint, path: String, headers: [(name: String, value: String)],
      timeoutMilliseconds: Int, on loop: SyncLoop, _ events: Events
    ) {
      let outcome = Outcome(events)
      let request = UpgradeRequest(endpoint: endpoint, path: path, headers: headers)
      loop.connect(to: endpoint, timeoutMilliseconds: timeoutMilliseconds) { channel in
        let upgrader = NIOWebSocketClientUpgrader(
          maxFrameSize: messageBytesMax, automaticErrorHandling: true
        ) { channel, _ in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers(
              NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1 << 16,
                maxAccumulatedFrameSize: messageBytesMax),
              MessageHandler(outcome))
          }
        }
        let starter = UpgradeHandler(request, outcome)
        try channel.pipeline.syncOperations.addHTTPClientHandlers(
          withClientUpgrade: (
            upgraders: [upgrader],
            completionHandler: { context in
              context.pipeline.syncOperations.removeHandler(starter, promise: nil)
            }
          ))
        try channel.pipeline.syncOperations.addHandler(starter)
      }.whenComplete { result in
        switch result {
        case .failure(let error): outcome.close(TransportError(message: "\(error)"))
        case .success(let channel):
          channel.closeFuture.whenComplete { _ in outcome.close(nil) }
          loop.after(milliseconds: timeoutMilliseconds) {
            if outcome.isPending { channel.close(promise: nil) }
          }
        }
      }
    }
  }

  /// What has become of a connection; used on the loop alone.
  private final class Outcome: @unchecked Sendable {
    // Sendable: every call is made by the one thread of the loop.

    private let events: WebSocket.Events
    private var isOpen = false
    private var isClosed = false
    private var failure: TransportError?

    init(_ events: WebSocket.Events) { self.events = events }

    var isPending: Bool { !isOpen && !isClosed }

    func open(_ socket: WebSocket) {
      isOpen = true
      events.opened(socket)
    }

    func receive(_ bytes: [UInt8]) { if !isClosed { events.received(bytes) } }

    func fail(_ error: TransportError) { failure = failure ?? error }

    func close(_ error: TransportError?) {
      if isClosed { return }
      isClosed = true
      events.closed(failure ?? error)
    }
  }

  private struct UpgradeRequest {
    let endpoint: Endpoint
    let path: String
    let headers: [(name: String, value: String)]
  }

  /// Asks for the upgrade, and stays until that was answered.
  private final class UpgradeHandler: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let head: HTTPRequestHead
    private let outcome: Outcome

    init(_ request: UpgradeRequest, _ outcome: Outcome) {
      var headers = HTTPHeaders()
      headers.add(name: "Host", value: request.endpoint.authority)
      headers.add(name: "Content-Length", value: "0")
      for (name, value) in request.headers { headers.add(name: name, value: value) }
      head = HTTPRequestHead(
        version: .http1_1, method: .GET, uri: request.endpoint.prefix + request.path,
        headers: headers)
      self.outcome = outcome
    }

    func channelActive(context: ChannelHandlerContext) {
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      context.fireChannelActive()
    }

    /// The server answers as to any request: it does not want to.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .head(let head) = unwrapInboundIn(data) else { return }
      outcome.fail(
        TransportError(
          message: "The server did not accept the connection: \(head.status.code) "
            + head.status.reasonPhrase, status: Int(head.status.code)))
      context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      outcome.fail(TransportError(message: "\(error)"))
      context.close(promise: nil)
    }
  }

  private final class MessageHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let outcome: Outcome

    init(_ outcome: Outcome) { self.outcome = outcome }

    func handlerAdded(context: ChannelHandlerContext) {
      outcome.open(WebSocket(channel: context.channel))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let frame = unwrapInboundIn(data)
      switch frame.opcode {
      case .binary: outcome.receive(Array(frame.unmaskedData.readableBytesView))
      case .ping:
        let pong = WebSocketFrame(
          fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
        context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
      case .connectionClose: context.close(promise: nil)
      default: break
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      outcome.fail(TransportError(message: "\(error)"))
      context.close(promise: nil)
    }
  }
#endif
