import Synchronization

/// How many bytes are on their way to a client. The app adds what it sends and the connection takes
/// off what has left, so that neither has to wake the other for it.
final class UnsentBytes: Sendable {
  private let value = Atomic(0)
  private let isAwaited = Atomic(false)

  var count: Int { value.load(ordering: .sequentiallyConsistent) }

  /// So many are sent.
  func add(_ bytes: Int) { value.add(bytes, ordering: .sequentiallyConsistent) }

  /// So many have left.
  ///
  /// - Returns: whether the app waits to hear of that.
  func remove(_ bytes: Int) -> Bool {
    value.subtract(bytes, ordering: .sequentiallyConsistent)
    return isAwaited.exchange(false, ordering: .sequentiallyConsistent)
  }

  /// Says that the app is to hear of what leaves, if there is as much as that.
  ///
  /// - Returns: false if there is less: then it need not wait.
  func awaitLess(than limit: Int) -> Bool {
    // Whatever leaves from here on either sees this, or is seen below.
    isAwaited.store(true, ordering: .sequentiallyConsistent)
    if count >= limit { return true }
    isAwaited.store(false, ordering: .sequentiallyConsistent)
    return false
  }
}
