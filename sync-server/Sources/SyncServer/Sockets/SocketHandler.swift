import NIOCore
import NIOExtras
import NIOWebSocket

/// The server's end of a WebSocket: hands binary messages to the app, looks after signs of life, and
/// stops reading from a client that sends more than the app takes, or faster than it may.
///
/// Confined to the channel's event loop.
final class SocketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let app: AppHost
  private let limits: ServerLimits
  private var link: LinkID?
  private var untakenBytes = 0
  private var unsentBytes = 0
  private var framesOfSecond = 0
  private var second: NIODeadline = .now()
  private var hasSignOfLife = true
  private var isThrottled = false
  /// For how many ticks nothing has left of what is to be sent.
  private var ticksWithoutProgress = 0
  private static let ticksWithoutProgressMax = 4
  private var isReading = true
  private var ticks: RepeatedTask?

  init(app: AppHost, limits: ServerLimits) {
    self.app = app
    self.limits = limits
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    let app = app
    let box = NIOLoopBoundBox<LinkID?>(nil, eventLoop: context.eventLoop)
    let outlet = SocketOutlet(channel: channel) { count in
      handler.value.note(unsent: count, channel)
    } sent: { count, isAwaited in
      handler.value.note(unsent: -count, channel)
      if isAwaited, let link = box.value { app.post(.drained(link)) }
    } taken: { count in
      handler.value.note(taken: count, channel)
    }
    let link = app.open(outlet)
    self.link = link
    box.value = link
    let interval = TimeAmount.seconds(limits.pingSeconds)
    ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      handler.value.tick(channel)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  private func end() {
    ticks?.cancel()
    ticks = nil
    guard let link else { return }
    app.post(.closed(link))
    self.link = nil
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    hasSignOfLife = true
    countFrame(context)
    guard let link else { return }
    switch frame.opcode {
    case .binary:
      let bytes = Array(frame.unmaskedData.readableBytesView)
      untakenBytes += bytes.count
      setReading(context.channel)
      app.post(.frame(link, bytes))
    case .ping:
      answer(frame.unmaskedData, context)
    case .pong: break
    case .connectionClose: SocketOutlet.close(context.channel, .normalClosure)
    default: SocketOutlet.close(context.channel, .unacceptableData)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ChannelShouldQuiesceEvent:
      if let link { app.post(.quiesce(link)) } else { context.close(promise: nil) }
    case ChannelEvent.inputClosed: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    SocketOutlet.close(context.channel, .protocolError)
  }

  /// Answers count as what is sent: who does not read them could have the server keep any number.
  private func answer(_ ping: ByteBuffer, _ context: ChannelHandlerContext) {
    let bytes = ping.readableBytes + Self.pongOverhead
    let channel = context.channel
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    note(unsent: bytes, channel)
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.whenComplete { _ in handler.value.note(unsent: -bytes, channel) }
    let pong = WebSocketFrame(fin: true, opcode: .pong, data: ping)
    context.writeAndFlush(wrapOutboundOut(pong), promise: sent)
  }

  /// About what a pong takes in memory beside its data.
  private static let pongOverhead = 256

  private func note(taken bytes: Int, _ channel: any Channel) {
    untakenBytes -= bytes
    setReading(channel)
  }

  /// Who does not read what is sent is not read from: each frame might have an answer.
  private func note(unsent bytes: Int, _ channel: any Channel) {
    unsentBytes += bytes
    if bytes < 0 {
      // What leaves is read by somebody.
      hasSignOfLife = true
      ticksWithoutProgress = 0
    }
    setReading(channel)
  }

  /// Closes a connection that has been silent since it was last asked, or does not take what it is
  /// sent.
  private func tick(_ channel: any Channel) {
    ticksWithoutProgress = unsentBytes > 0 ? ticksWithoutProgress + 1 : 0
    guard hasSignOfLife, ticksWithoutProgress <= Self.ticksWithoutProgressMax else {
      return channel.close(promise: nil)
    }
    hasSignOfLife = false
    let ping = WebSocketFrame(fin: true, opcode: .ping, data: channel.allocator.buffer(capacity: 0))
    channel.writeAndFlush(ping, promise: nil)
  }

  private func countFrame(_ context: ChannelHandlerContext) {
    let now = NIODeadline.now()
    if now - second > .seconds(1) {
      second = now
      framesOfSecond = 0
    }
    framesOfSecond += 1
    guard framesOfSecond > limits.framesPerSecond, !isThrottled else { return }
    isThrottled = true
    let channel = context.channel
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    setReading(channel)
    context.eventLoop.scheduleTask(in: .seconds(1)) {
      handler.value.isThrottled = false
      handler.value.framesOfSecond = 0
      handler.value.setReading(channel)
    }
  }

  private func setReading(_ channel: any Channel) {
    let wanted =
      !isThrottled && untakenBytes < limits.unreadBytes && unsentBytes < limits.unsentBytes
    guard wanted != isReading else { return }
    isReading = wanted
    channel.setOption(ChannelOptions.autoRead, value: wanted).whenFailure { _ in }
  }
}
