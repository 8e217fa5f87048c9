#if Sync
  import NIOCore
  import NIOHTTP1

  /// A small request to a server, on a connection of its own.
  public struct HTTPRequest: Sendable {
    /// The method, in capitals.
    public var method: String
    /// What comes after the endpoint's prefix.
    public var path: String
    /// Headers besides those of the connection.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]

    /// A request from its parts.
    public init(
      method: String, path: String, headers: [(name: String, value: String)], body: [UInt8]
    ) {
      self.method = method
      self.path = path
      self.headers = headers
      self.body = body
    }

    /// What a server has answered.
    public struct Response: Sendable {
      /// The status, such as 200.
      public let status: Int
      /// The body.
      public let body: [UInt8]
    }

    /// The largest body of an answer.
    static let responseBytesMax = 1 << 20

    /// Sends the request. `finished` is called once, on the loop.
    public func send(
      to endpoint: Endpoint, timeoutMilliseconds: Int, on loop: SyncLoop,
      _ finished: @escaping @Sendable (Result<Response, TransportError>) -> Void
    ) {
      let exchange = Exchange(finished)
      let request = self
      loop.connect(to: endpoint, timeoutMilliseconds: timeoutMilliseconds) { channel in
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        try channel.pipeline.syncOperations.addHandler(
          ExchangeHandler(request, endpoint, exchange))
      }.whenComplete { result in
        switch result {
        case .failure(let error): exchange.finish(.failure(TransportError(message: "\(error)")))
        case .success(let channel):
          let timer = loop.after(milliseconds: timeoutMilliseconds) {
            exchange.finish(
              .failure(TransportError(message: "The server did not answer in time.")))
            channel.close(promise: nil)
          }
          channel.closeFuture.whenComplete { _ in
            timer.cancel()
            exchange.finish(
              .failure(TransportError(message: "The server closed the connection.")))
          }
        }
      }
    }

    fileprivate func head(_ endpoint: Endpoint) -> HTTPRequestHead {
      var fields = HTTPHeaders()
      fields.add(name: "Host", value: endpoint.authority)
      fields.add(name: "Connection", value: "close")
      fields.add(name: "Content-Length", value: "\(body.count)")
      for (name, value) in headers { fields.add(name: name, value: value) }
      return HTTPRequestHead(
        version: .http1_1, method: HTTPMethod(rawValue: method), uri: endpoint.prefix + path,
        headers: fields)
    }
  }

  /// What has become of a request; used on the loop alone.
  private final class Exchange: @unchecked Sendable {
    // Sendable: every call is made by the one thread of the loop.

    private var finished: (@Sendable (Result<HTTPRequest.Response, TransportError>) -> Void)?
    var status = 0
    var body: [UInt8] = []

    init(_ finished: @escaping @Sendable (Result<HTTPRequest.Response, TransportError>) -> Void) {
      self.finished = finished
    }

    func finish(_ result: Result<HTTPRequest.Response, TransportError>) {
      finished.take()?(result)
    }
  }

  private final class ExchangeHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequest
    private let endpoint: Endpoint
    private let exchange: Exchange

    init(_ request: HTTPRequest, _ endpoint: Endpoint, _ exchange: Exchange) {
      self.request = request
      self.endpoint = endpoint
      self.exchange = exchange
    }

    func channelActive(context: ChannelHandlerContext) {
      context.write(wrapOutboundOut(.head(request.head(endpoint))), promise: nil)
      if !request.body.isEmpty {
        context.write(
          wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.body)))), promise: nil)
      }
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): exchange.status = Int(head.status.code)
      case .body(let bytes):
        exchange.body += bytes.readableBytesView
        if exchange.body.count > HTTPRequest.responseBytesMax {
          exchange.finish(.failure(TransportError(message: "The server's answer is too large.")))
          context.close(promise: nil)
        }
      case .end:
        exchange.finish(
          .success(HTTPRequest.Response(status: exchange.status, body: exchange.body)))
        context.close(promise: nil)
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      exchange.finish(.failure(TransportError(message: "\(error)")))
      context.close(promise: nil)
    }
  }
#endif
