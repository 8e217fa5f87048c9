import NIOCore

/// What a turn of an app has for its connections, in order. It is taken to each event loop in one
/// go: to wake a loop costs more than most of what there is to do.
struct Outbox {
  private enum Errand: Sendable {
    case taken(Int)
    case send([[UInt8]])
    case close
  }

  private struct Route {
    let loop: any EventLoop
    var errands: [(SocketOutlet, Errand)] = []
  }

  private var routes: [ObjectIdentifier: Route] = [:]
  private var bytes = 0
  private static let bytesMax = 256 << 10

  /// The app has taken so many bytes, so that more may be read.
  mutating func note(taken bytes: Int, from outlet: SocketOutlet) { add(.taken(bytes), outlet) }

  /// Sends frames in their order.
  mutating func send(_ frames: [[UInt8]], to outlet: SocketOutlet) {
    let count = frames.reduce(0) { $0 + $1.count }
    outlet.unsent.add(count)
    add(.send(frames), outlet)
    bytes += count
    // Nobody waits for the end of a long turn.
    if bytes > Self.bytesMax { flush() }
  }

  /// Closes, once what was sent before is on its way.
  mutating func close(_ outlet: SocketOutlet) { add(.close, outlet) }

  private mutating func add(_ errand: Errand, _ outlet: SocketOutlet) {
    let loop = outlet.channel.eventLoop
    routes[ObjectIdentifier(loop), default: Route(loop: loop)].errands.append((outlet, errand))
  }

  /// Takes all there is to the event loops.
  mutating func flush() {
    for route in routes.values {
      let errands = route.errands
      route.loop.execute {
        for (outlet, errand) in errands {
          switch errand {
          case .taken(let count): outlet.taken(count)
          case .send(let frames): outlet.send(frames)
          case .close: SocketOutlet.close(outlet.channel, .normalClosure)
          }
        }
      }
    }
    routes.removeAll(keepingCapacity: true)
    bytes = 0
  }
}
