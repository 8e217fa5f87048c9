import NIOCore
import Platform

/// All connections of the server, so that none of them keeps it from ending.
final class OpenChannels: Sendable {
  private let channels = LockedValue<[ObjectIdentifier: any Channel]>([:])

  /// Knows a connection for as long as it is open.
  func add(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    channels.withLock { $0[id] = channel }
    channel.closeFuture.whenComplete { [self] _ in
      channels.withLock { $0[id] = nil }
    }
  }

  /// Closes what is open, whatever is under way there, and says how many these were.
  func closeAll() -> Int {
    let open = channels.withLock { Array($0.values) }
    for channel in open { channel.close(promise: nil) }
    return open.count
  }
}
