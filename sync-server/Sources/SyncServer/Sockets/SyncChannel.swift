import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket
import SyncProtocol

/// A connection of the server: HTTP by Hummingbird, or a WebSocket of an app at `/sync/APP`.
struct SyncChannel: ServerChildChannel, HTTPChannelHandler {
  typealias HTTPChannel = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  /// What became of a connection when its first request had come.
  enum Outcome: Sendable {
    case http(HTTPChannel)
    case socket
  }

  struct Value: ServerChildChannelValue {
    let channel: any Channel
    let outcome: EventLoopFuture<Outcome>
  }

  /// There are as many connections from the address as there may be.
  private struct TooManyConnections: Error {}

  let responder: HTTPChannelHandler.Responder
  let apps: AppRegistry
  let limits: ServerLimits
  let addresses: AddressCounts
  let open: OpenChannels

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let address = channel.remoteAddress?.ipAddress ?? "?"
    guard addresses.add(address) else {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(TooManyConnections())
    }
    channel.closeFuture.whenComplete { [addresses] _ in addresses.remove(address) }
    open.add(channel)
    return channel.eventLoop.makeCompletedFuture {
      let keeper = QuiesceKeeper()
      try channel.pipeline.syncOperations.addHandler(keeper)
      let upgrade = NIOTypedHTTPServerUpgradeConfiguration<Outcome>(
        upgraders: [upgrader(channel)]
      ) { channel in
        channel.eventLoop.makeCompletedFuture { .http(try Self.addHTTP(channel, logger)) }
      }
      var configuration = NIOUpgradableHTTPServerPipelineConfiguration(
        upgradeConfiguration: upgrade)
      configuration.enablePipelining = false
      configuration.enableResponseHeaderValidation = false
      configuration.decoderConfiguration.maxHeaderListSize = 64 << 10
      configuration.decoderConfiguration.maxHeaderFieldSize = 32 << 10
      let outcome = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
        configuration: configuration)
      // Who connects and says nothing must not take the place of others.
      let limit = TimeAmount.milliseconds(Int64(limits.handshakeMilliseconds))
      let end = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
      let loop = channel.eventLoop
      let kept = NIOLoopBound(keeper, eventLoop: loop)
      outcome.whenComplete { _ in
        end.cancel()
        // The request itself reaches its handlers before that.
        loop.execute { kept.value.release(channel) }
      }
      return Value(channel: channel, outcome: outcome)
    }
  }

  private static func addHTTP(
    _ channel: any Channel, _ logger: Logger
  ) throws -> HTTPChannel {
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
    try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: .seconds(60), logger: logger))
    return try NIOAsyncChannel(
      wrappingChannelSynchronously: channel,
      configuration: .init(isOutboundHalfClosureEnabled: true))
  }

  private func upgrader(_ channel: any Channel) -> NIOTypedWebSocketServerUpgrader<Outcome> {
    let app = NIOLoopBoundBox<AppHost?>(nil, eventLoop: channel.eventLoop)
    return NIOTypedWebSocketServerUpgrader(
      maxFrameSize: Limits.frameBytes,
      shouldUpgrade: { [apps] channel, head in
        guard let name = Self.appName(head.uri) else {
          Self.refuse(channel, .noSuchApp)
          return channel.eventLoop.makeSucceededFuture(nil)
        }
        return channel.eventLoop.makeFutureWithTask {
          try await apps.host(name, mayMake: false)
        }.map { host in
          app.value = host
          return [:]
        }.flatMapErrorThrowing { error in
          Self.refuse(channel, error as? APIError ?? .noSpace)
          return nil
        }
      },
      upgradePipelineHandler: { [limits] channel, _ in
        channel.eventLoop.makeCompletedFuture {
          guard let host = app.value else { throw ChannelError.inappropriateOperationForState }
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(MaskedFramesOnly())
          try pipeline.addHandler(
            NIOWebSocketFrameAggregator(
              minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
              maxAccumulatedFrameSize: Limits.frameBytes))
          try pipeline.addHandler(SocketHandler(app: host, limits: limits))
          return .socket
        }
      })
  }

  /// Answers a request for a WebSocket that there is none of, and closes: the request itself is
  /// lost to who would answer it otherwise.
  private static func refuse(_ channel: any Channel, _ error: APIError) {
    let text = #"{"error":"\#(error.message)","error_code":"\#(error.code)"}"#
    let body = channel.allocator.buffer(string: text)
    let headers: HTTPHeaders = [
      "Content-Type": "application/json", "Content-Length": "\(body.readableBytes)",
      "Connection": "close",
    ]
    let status = HTTPResponseStatus(statusCode: error.status.code)
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    channel.write(HTTPServerResponsePart.head(head), promise: nil)
    channel.write(HTTPServerResponsePart.body(.byteBuffer(body)), promise: nil)
    channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
      channel.close(promise: nil)
    }
  }

  private static func appName(_ uri: String) -> AppName? {
    let path = uri.prefix { $0 != "?" }
    guard path.hasPrefix("/sync/") else { return nil }
    return AppName(path.dropFirst("/sync/".count))
  }

  func handle(value: Value, logger: Logger) async {
    do {
      switch try await value.outcome.get() {
      case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
      case .socket: try await value.channel.closeFuture.get()
      }
    } catch {
      logger.debug("a connection failed", metadata: ["error": "\(error)"])
      value.channel.close(promise: nil)
    }
  }
}
