import NIOCore
import NIOWebSocket

/// A connection as its app reaches it. Any thread may call.
struct SocketOutlet: Sendable {
  let channel: any Channel
  /// What the connection is told of bytes that are to leave, on its loop.
  let sending: @Sendable (Int) -> Void
  /// What the app is told of bytes that have left, on the connection's loop.
  let sent: @Sendable (Int) -> Void
  /// What the connection is told of bytes that were taken, on its loop.
  let taken: @Sendable (Int) -> Void

  /// Sends frames in their order; the app hears of it when they have left.
  func send(_ frames: [[UInt8]]) {
    let count = frames.reduce(0) { $0 + $1.count }
    channel.eventLoop.execute {
      sending(count)
      for (index, bytes) in frames.enumerated() {
        let frame = WebSocketFrame(
          fin: true, opcode: .binary, data: channel.allocator.buffer(bytes: bytes))
        if index < frames.count - 1 {
          channel.write(frame, promise: nil)
        } else {
          channel.writeAndFlush(frame).whenComplete { _ in sent(count) }
        }
      }
    }
  }

  /// Closes, once what was sent before is on its way.
  func close() {
    channel.eventLoop.execute { Self.close(channel, .normalClosure) }
  }

  /// The app has taken so many bytes, so that more may be read.
  func consumed(_ bytes: Int) {
    channel.eventLoop.execute { taken(bytes) }
  }

  /// Says goodbye and closes; a peer that does not read is given a moment.
  static func close(_ channel: any Channel, _ code: WebSocketErrorCode) {
    var data = channel.allocator.buffer(capacity: 2)
    data.write(webSocketErrorCode: code)
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
    channel.writeAndFlush(frame).whenComplete { _ in channel.close(promise: nil) }
    channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
  }
}
