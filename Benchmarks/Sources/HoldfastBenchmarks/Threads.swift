import Foundation
import Synchronization

/// Runs `body` on a thread of its own, to which realms and loops may be bound, and waits for it.
func onOwnThread<R>(_ body: @escaping () throws -> R) throws -> R {
  let threads = Threads()
  nonisolated(unsafe) var result: Result<R, any Error>?
  nonisolated(unsafe) let body = body
  // Written by that thread before it ends, read here after it has.
  threads.start { result = Result(catching: body) }
  threads.join()
  return try result!.get()
}

/// Threads that are waited for.
final class Threads {
  private let group = DispatchGroup()

  func start(_ body: @escaping @Sendable () -> Void) {
    group.enter()
    let thread = Thread { [group] in
      body()
      group.leave()
    }
    thread.stackSize = 8 << 20
    thread.start()
  }

  func join() { group.wait() }
}
