import NIOCore
import NIOWebSocket

/// Closes a connection whose client does not mask its frames, as RFC 6455 (5.1) has it.
final class MaskedFramesOnly: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame

  private var isClosing = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isClosing { return }
    guard unwrapInboundIn(data).maskKey != nil else {
      isClosing = true
      return SocketOutlet.close(context.channel, .protocolError)
    }
    context.fireChannelRead(data)
  }
}
