import LoopThread
import Synchronization

/// Runs `body` on a new thread with a loop that nobody runs yet.
func onNewThread(_ body: @escaping @Sendable (UVLoop) -> Void) {
  onBareThread {
    let loop = UVLoop()
    body(loop)
    loop.close()
  }
}

/// What happened, in order.
final class Order: Sendable {
  private let events = Mutex<[String]>([])

  func note(_ event: String) { events.withLock { $0.append(event) } }
  func count(_ event: String) -> Int { events.withLock { $0.count { $0 == event } } }
  func has(_ event: String) -> Bool { count(event) > 0 }
  var first: String? { events.withLock { $0.first } }
  var all: [String] { events.withLock { $0 } }
}

/// Takes something of a loop's thread through a lock.
final class Kept: @unchecked Sendable {
  // Sendable: only the loop's thread touches the value.
  let value: AnyObject
  init(_ value: AnyObject) { self.value = value }
}
