import Platform
import Clibuv
import Synchronization

/// A value that one thread waits for and another gives, once.
final class Answer<Value: Sendable>: @unchecked Sendable {
  // Sendable: the semaphore is for any thread, the value is behind a lock.

  private let semaphore = UnsafeMutablePointer<uv_sem_t>.allocate(capacity: 1)
  private let value = LockedValue<Value?>(nil)

  init() {
    let status = uv_sem_init(semaphore, 0)
    precondition(status == 0, "No semaphore could be made: \(describe(status)).")
  }

  deinit {
    uv_sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func give(_ given: Value) {
    value.withLock { $0 = given }
    uv_sem_post(semaphore)
  }

  func wait() -> Value {
    uv_sem_wait(semaphore)
    guard let given = value.withLock({ $0 }) else { preconditionFailure("No answer was given.") }
    return given
  }
}
