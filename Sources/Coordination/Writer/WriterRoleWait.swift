import Platform

/// How long a process has waited for which holder of the writer role.
struct WriterRoleWait {
  /// Then a waiter looks whether the holder lives.
  static let lookNanoseconds: UInt64 = 2_000_000
  /// Then it has a thread wait for the holder's death; a new one is worth it.
  private static let watchNanoseconds: UInt64 = 10_000_000
  /// How often it looks from then on, in case a process died that was woken in its place.
  private static let safetyNanoseconds: UInt64 = 200_000_000

  /// Whether it has slept, and so may take a word that is reserved for sleepers.
  var hasSlept = false
  private let system: any System
  /// The word without its waiters bit, since when it is that, and when to look next.
  private var word: WriterWord?
  private var since: UInt64 = 0
  private var nextLook: UInt64 = 0

  init(system: any System) { self.system = system }

  /// Takes note of the word; returns whether it is time to check its holder.
  mutating func isLookDue(_ word: WriterWord) -> Bool {
    let now = note(word)
    guard now >= nextLook else { return false }
    let waited = now - since
    nextLook =
      waited < Self.watchNanoseconds
      ? since + Self.watchNanoseconds : now + Self.safetyNanoseconds
    return true
  }

  /// After a look that found the holder alive.
  var isWatchDue: Bool { system.now() >= since + Self.watchNanoseconds }

  /// Until the next look.
  var nanoseconds: UInt64 {
    let now = system.now()
    return nextLook > now ? nextLook - now : 0
  }

  /// Whether a free word has been the same for long enough.
  mutating func isReservationOver(_ word: WriterWord) -> Bool {
    note(word) >= since + WriterRole.reservationNanoseconds
  }

  private mutating func note(_ word: WriterWord) -> UInt64 {
    let now = system.now()
    if self.word != word.withoutWaiters {
      self.word = word.withoutWaiters
      since = now
      nextLook = now + Self.lookNanoseconds
    }
    return now
  }
}
