import NIOCore
import NIOWebSocket

/// A connection as its app reaches it, through an `Outbox`.
struct SocketOutlet: Sendable {
  let channel: any Channel
  /// What is on its way to the client.
  let unsent = UnsentBytes()
  /// What the connection is told of bytes that are to leave, on its loop.
  let sending: @Sendable (Int) -> Void
  /// What the connection is told of bytes that have left, on its loop, and whether the app waits
  /// for that.
  let sent: @Sendable (Int, Bool) -> Void
  /// What the connection is told of bytes that the app has taken, on its loop.
  let taken: @Sendable (Int) -> Void

  /// Sends frames in their order, on the connection's loop.
  func send(_ frames: [[UInt8]]) {
    let count = frames.reduce(0) { $0 + $1.count }
    sending(count)
    for (index, bytes) in frames.enumerated() {
      let frame = WebSocketFrame(
        fin: true, opcode: .binary, data: channel.allocator.buffer(bytes: bytes))
      if index < frames.count - 1 {
        channel.write(frame, promise: nil)
      } else {
        channel.writeAndFlush(frame).whenComplete { _ in sent(count, unsent.remove(count)) }
      }
    }
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
