import NIOCore

/// Keeps the news that the server shuts down until a handler is there that acts on it: while a
/// connection waits for its first request, or becomes a WebSocket, there is none, and it comes
/// only once.
///
/// Confined to the channel's event loop.
final class QuiesceKeeper: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private var hasHeard = false
  private var isNeeded = true
  private var isKept = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasHeard = true
    context.fireChannelRead(data)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is ChannelShouldQuiesceEvent, isNeeded else {
      return context.fireUserInboundEventTriggered(event)
    }
    // Who has not begun a request need not be answered.
    if hasHeard { isKept = true } else { context.close(promise: nil) }
  }

  /// Somebody is there.
  func release(_ channel: any Channel) {
    isNeeded = false
    if isKept { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
  }
}
