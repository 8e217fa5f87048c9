import Platform

/// Counts log-ins and registrations of each address: they make users, and take time.
final class LoginRate: Sendable {
  private struct Minute {
    var count = 0
    var since: Double
  }

  private let limit: Int
  private let minutes = LockedValue<[String: Minute]>([:])
  private static let addressesMax = 100_000

  init(perMinute limit: Int) { self.limit = limit }

  /// Counts one.
  ///
  /// - Throws: if there were too many from the address within a minute.
  func count(_ address: String, now: Double) throws(APIError) {
    let isTooMany = minutes.withLock { minutes in
      if minutes.count > Self.addressesMax { minutes = minutes.filter { now - $1.since < 60 } }
      var known = minutes[address] ?? Minute(since: now)
      if now - known.since >= 60 { known = Minute(since: now) }
      known.count += 1
      minutes[address] = known
      return known.count > limit
    }
    if isTooMany { throw APIError.tooManyRequests }
  }
}
