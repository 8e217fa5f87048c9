import Platform

/// Counts failed log-ins, so that passwords cannot be guessed quickly.
final class LoginGuard: Sendable {
  private struct Failures {
    var count = 0
    var since: Double
  }

  private let limit: Int
  private let seconds: Double
  private let failures = LockedValue<[String: Failures]>([:])
  private static let namesMax = 100_000

  init(limit: Int, seconds: Double) {
    self.limit = limit
    self.seconds = seconds
  }

  /// - Throws: if there were too many failures under one of these names.
  func check(_ names: [String], now: Double) throws(APIError) {
    let isBad = failures.withLock { failures in
      names.contains { name in
        guard let known = failures[name] else { return false }
        return known.count >= limit && now - known.since < seconds
      }
    }
    if isBad { throw APIError.tooManyRequests }
  }

  func noteFailure(_ names: [String], now: Double) {
    failures.withLock { failures in
      if failures.count > Self.namesMax { failures = failures.filter { now - $1.since < seconds } }
      for name in names {
        var known = failures[name] ?? Failures(since: now)
        if now - known.since >= seconds { known = Failures(since: now) }
        known.count += 1
        failures[name] = known
      }
    }
  }

  func noteSuccess(_ names: [String]) {
    failures.withLock { failures in for name in names { failures[name] = nil } }
  }
}
