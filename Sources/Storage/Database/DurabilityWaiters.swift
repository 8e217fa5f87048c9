import Platform

/// Closures that wait for versions to become durable.
struct DurabilityWaiters: ~Copyable, Sendable {
  typealias Body = @Sendable (Result<Void, StorageError>) -> Void

  private let waiting = LockedValue<[(version: Version, body: Body)]>([])

  init() {}

  borrowing func add(_ version: Version, _ body: @escaping Body) {
    waiting.withLock { $0.append((version, body)) }
  }

  /// Whether one waits for `version` or an older one.
  borrowing func wants(_ version: Version) -> Bool {
    waiting.withLock { $0.contains { $0.version <= version } }
  }

  /// A flush has ended. After a failure all are called: what others have flushed is durable,
  /// whatever has failed here, and the rest gets the error.
  borrowing func flushed(_ outcome: Result<Void, StorageError>, durable: Version) {
    let ready = waiting.withLock { waiting in
      guard case .success = outcome else {
        defer { waiting.removeAll() }
        return waiting
      }
      let ready = waiting.filter { $0.version <= durable }
      waiting.removeAll { $0.version <= durable }
      return ready
    }
    for item in ready { item.body(item.version <= durable ? .success(()) : outcome) }
  }

  /// The file is being closed; what was to become durable has, or does not any more.
  borrowing func close(durable: Version, path: String) {
    let waiting = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for item in waiting {
      let isDurable = item.version <= durable
      let error = StorageError(
        .closed, path: path, "the file was closed before version \(item.version) could be flushed")
      item.body(isDurable ? .success(()) : .failure(error))
    }
  }
}
