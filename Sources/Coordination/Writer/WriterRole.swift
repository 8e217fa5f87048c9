import Platform
import Synchronization

/// The writer role between processes: a word of shared memory that one participant swaps from free
/// to its own number. Taking and giving back are one compare-and-swap each without contention;
/// those who do not get it sleep on the word. Nothing is kept between two transactions.
///
/// Fairness. The word is given back with its waiters bit as it was, and one sleeper is woken. A
/// free word with waiters is reserved: only a process that has slept takes it, so that one that
/// writes again and again cannot outrun one that has to be woken. A sleeper that was woken and is
/// stopped, or has died, reserves it for 20 ms at most; then any process takes it.
///
/// Death. The holder's participant byte (`Participants`) shows whether it is alive. A process that
/// has waited for a while waits for that byte too, in the background (`HolderWatch`): it gets it
/// when the holder ends, and releases the role in its place. While it has the byte, no process can
/// get the number, so a word that names it was left by the dead.
///
/// Damage. Any process may have written over the word. Two more words show it: each participant's
/// `participantWriting`, set before it tries to take the role and cleared after it has given it
/// back, and `writerHolder`, set and cleared while it has the role. A word that names a participant
/// which does not want the role is freed; a process that got the role although `writerHolder` names
/// a live one that wants it puts the word right and waits.
///
/// One thread of a process uses this at a time: the head of its `WriterQueue`.
final class WriterRole: Sendable {
  let memory: SharedMemory
  let system: any System
  /// nil where one process has the file to itself.
  let participants: Participants?
  let participant: Int
  private let watch: HolderWatch?
  /// The reserved word that a try without waiting met last, and when it met it first.
  private let reserved = LockedValue<(word: WriterWord, since: UInt64)?>(nil)

  /// How long a free word is left to those who sleep.
  static let reservationNanoseconds: UInt64 = 20_000_000

  init(
    memory: SharedMemory, system: any System, participants: Participants?, participant: Int
  ) {
    self.memory = memory
    self.system = system
    self.participants = participants
    self.participant = participant
    watch = participants.map { HolderWatch(participants: $0) }
  }

  // MARK: The words

  func load() -> WriterWord {
    WriterWord(
      bits: memory[half: LockFileLayout.writerRole].load(ordering: .acquiring))
  }

  func swap(_ expected: WriterWord, _ desired: WriterWord) -> Bool {
    memory[half: LockFileLayout.writerRole].compareExchange(
      expected: expected.bits, desired: desired.bits, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Whether other processes wait.
  var isAwaited: Bool { load().hasWaiters }

  /// Where the word is that says whether a participant writes.
  private func writingOffset(_ participant: Int) -> Int {
    LockFileLayout.participants + participant * LockFileLayout.participantSize
      + LockFileLayout.participantWriting
  }

  private func isWriting(_ participant: Int) -> Bool {
    memory[writingOffset(participant)].load(ordering: .acquiring) != 0
  }

  /// Set before the swap that takes the role, which publishes it; cleared after the one that gives
  /// it back.
  private func setWriting(_ isWriting: Bool) {
    memory[writingOffset(participant)].store(isWriting ? 1 : 0, ordering: .releasing)
  }

  // MARK: Taking

  /// For a new owner of the participant number: what an earlier one left when it died.
  func forgetPredecessor() {
    setWriting(false)
    _ = memory[LockFileLayout.writerHolder].compareExchange(
      expected: UInt64(participant + 1), desired: 0, ordering: .acquiringAndReleasing)
    freeIfNamed(participant)
  }

  /// One swap where the role is free and not reserved.
  @inline(__always)
  func takeIfFree() -> Bool {
    let word = load()
    guard word.isFree, !word.hasWaiters else { return false }
    return take(word)
  }

  /// Takes the role without waiting. Makes sure that the one who has it lives.
  func tryTake() -> Bool {
    while true {
      let word = load()
      if word.isFree {
        if word.hasWaiters, !isReservationOver(word) { return false }
        if take(word) { return true }
      } else if !freeIfHeldByNobody(word) {
        return false
      }
    }
  }

  /// Waits for the role. False as soon as `isWanted` is, which is looked at whenever the word
  /// wakes.
  func take(isWanted: () -> Bool) -> Bool {
    var wait = WriterRoleWait(system: system)
    defer { watch?.stop() }
    while isWanted() {
      let word = load()
      if word.isFree {
        if !word.hasWaiters || wait.hasSlept || wait.isReservationOver(word) {
          if take(wait.hasSlept ? word.withWaiters : word, expected: word) { return true }
        } else {
          // Not for the whole reservation: nothing wakes this process when another takes the role,
          // and it may be the only one that looks soon whether that one lives.
          let isWoken = sleep(on: word, nanoseconds: WriterRoleWait.lookNanoseconds)
          // Where the word is the same, it was woken in the place of one who had slept before the
          // role was given back, and whom nobody will wake now.
          wait.hasSlept = isWoken || load() != word
        }
      } else if word.holder == participant || wait.isLookDue(word) {
        // No thread of this process has the role.
        if !freeIfHeldByNobody(word), wait.isWatchDue { watch?.start(word.holder!, self) }
      } else if word.hasWaiters || swap(word, word.withWaiters) {
        sleep(on: word.withWaiters, nanoseconds: wait.nanoseconds)
        wait.hasSlept = true
      }
    }
    // Who was woken to take the role, and does not want it any more, wakes another one.
    let word = load()
    if wait.hasSlept, word.isFree { wakeOne(of: word) }
    return false
  }

  /// Others may sleep as well when one who slept takes the role: the bit stays.
  @inline(__always)
  private func take(_ word: WriterWord, expected: WriterWord? = nil) -> Bool {
    setWriting(true)
    if swap(expected ?? word, word.taken(by: participant)) {
      let other = memory[LockFileLayout.writerHolder].load(ordering: .acquiring)
      if other == 0 || mayFollow(other) {
        memory[LockFileLayout.writerHolder].store(UInt64(participant + 1), ordering: .releasing)
        return true
      }
    }
    setWriting(false)
    return false
  }

  /// - Returns: false if nothing happened in that time.
  @discardableResult
  private func sleep(on word: WriterWord, nanoseconds: UInt64) -> Bool {
    memory.wait(
      half: LockFileLayout.writerRole, while: word.bits, timeout: nanoseconds, by: system)
  }

  /// For tries without waiting, which have nothing but the next try to measure time by.
  private func isReservationOver(_ word: WriterWord) -> Bool {
    let now = system.coarseNow()
    return reserved.withLock { reserved in
      if let known = reserved, known.word == word {
        return now > known.since + Self.reservationNanoseconds
      }
      reserved = (word, now)
      return false
    }
  }

  // MARK: Giving back

  /// Gives the role back and wakes one of those who sleep.
  func release() {
    memory[LockFileLayout.writerHolder].store(0, ordering: .releasing)
    let word = free { $0.holder == participant }
    setWriting(false)
    // Otherwise the word has been overwritten, and belongs to another process by now.
    if let word { wakeOne(word) }
  }

  /// Wakes all who sleep, so that those look whom a change in their own process concerns.
  func wakeAll() {
    memory.wake(half: LockFileLayout.writerRole, count: .max, by: system)
  }

  /// Makes the word free as long as it fulfils `condition`; returns what it was.
  @inline(__always)
  private func free(_ condition: (WriterWord) -> Bool) -> WriterWord? {
    while true {
      let word = load()
      guard condition(word) else { return nil }
      if swap(word, word.released) { return word }
    }
  }

  /// For a word that has been given back.
  private func wakeOne(_ word: WriterWord) { wakeOne(of: word.released) }

  private func wakeOne(of free: WriterWord) {
    guard free.hasWaiters else { return }
    let count = memory.wake(half: LockFileLayout.writerRole, count: 1, by: system)
    guard count == 0, swap(free, free.withoutWaiters) else { return }
    // A process that is about to sleep sees that the word has changed; one that has fallen asleep
    // in between, because the word said that it was reserved, is not announced by it any more.
    memory.wake(half: LockFileLayout.writerRole, count: .max, by: system)
  }

  // MARK: In place of others

  /// For the holder of the byte of a dead participant, or the owner of the number: releases what it
  /// left.
  func freeIfNamed(_ participant: Int) {
    if let word = free({ $0.holder == participant }) { wakeOne(word) }
  }

  /// Frees a word whose holder is dead, or does not want the role, or cannot be. False: it has it.
  private func freeIfHeldByNobody(_ word: WriterWord) -> Bool {
    guard let holder = word.holder else { return true }
    if holder == participant { return freeIfSame(word) }
    guard let participants, holder < LockFileLayout.participantsMax, isWriting(holder) else {
      return freeIfSame(word)
    }
    if participants.isAlive(holder) { return false }
    _ = participants.whileDead(holder) { freeIfNamed(holder) }
    return true
  }

  /// The count of turns distinguishes a holder from an earlier one. True also when others were
  /// first.
  private func freeIfSame(_ word: WriterWord) -> Bool {
    if swap(word, word.released) { wakeOne(word) }
    return true
  }

  /// The role has been taken although it was marked as held. By a dead one: so be it. By a live
  /// one: the word was damaged while it had the role, and gets its number back.
  private func mayFollow(_ mark: UInt64) -> Bool {
    let holder = Int(clamping: mark) - 1
    guard let participants, holder != participant, holder >= 0,
      holder < LockFileLayout.participantsMax, isWriting(holder), participants.isAlive(holder)
    else { return true }
    while true {
      let word = load()
      guard word.holder == participant else { return false }
      if swap(word, word.taken(by: holder)) { return false }
    }
  }
}
