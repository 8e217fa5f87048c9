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

  /// Counts an attempt as failed until `noteSuccess` says otherwise: many at once are as many.
  ///
  /// - Throws: if there were too many failures under one of these names.
  func begin(_ names: [String], now: Double) throws(APIError) {
    let isBad = failures.withLock { failures in
      let isBad = names.contains { name in
        guard let known = failures[name] else { return false }
        return known.count >= limit && now - known.since < seconds
      }
      if !isBad { count(names, &failures, now: now) }
      return isBad
    }
    if isBad { throw APIError.tooManyRequests }
  }

  private func count(_ names: [String], _ failures: inout [String: Failures], now: Double) {
    if failures.count > Self.namesMax { failures = failures.filter { now - $1.since < seconds } }
    for name in names {
      var known = failures[name] ?? Failures(since: now)
      if now - known.since >= seconds { known = Failures(since: now) }
      known.count += 1
      failures[name] = known
    }
  }

  /// The attempt was no failure. What else failed under the name is forgiven; what came from the
  /// address is not, or a log-in of one's own would buy guesses at others' passwords.
  func noteSuccess(name: String?, address: String) {
    failures.withLock { failures in
      if let name { failures[name] = nil }
      failures[address]?.count -= 1
    }
  }
}
