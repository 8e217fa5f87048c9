import Platform

/// How many connections there are from each address.
final class AddressCounts: Sendable {
  private let limit: Int
  private let counts = LockedValue<[String: Int]>([:])

  init(limit: Int) { self.limit = limit }

  /// Counts a connection; false if there are too many from there.
  func add(_ address: String) -> Bool {
    counts.withLock { counts in
      let count = counts[address] ?? 0
      if count >= limit { return false }
      counts[address] = count + 1
      return true
    }
  }

  /// A connection that was counted is gone.
  func remove(_ address: String) {
    counts.withLock { counts in
      let count = counts[address] ?? 0
      counts[address] = count > 1 ? count - 1 : nil
    }
  }
}
