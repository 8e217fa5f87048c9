import Platform
import Synchronization

/// Which versions readers use: slots in shared memory, claimed by compare-and-swap.
///
/// A reader writes the newest version into a free slot and then reads the newest number again; if
/// it has moved, so does the pin. A writer scans the slots only after it has published. All four
/// are sequentially consistent, so either the scan sees the pin, or the reader sees the new number
/// and moves on. What a scan may therefore be used for: reclaiming what was freed up to the version
/// that was newest when it began. Later pins are of that version or newer ones, so a scan stays
/// good for ever for what it was good for.
///
/// No pin is ever passed from one slot to another, which a scan could miss; two holders of one
/// pin in a process share the slot and a count beside it. A writer claims the slot for its version
/// before it publishes, with a pin of the version before, which it moves within the slot before it
/// gives up the writer role, and with it the right to scan.
///
/// The number of slots in use, up to which a scan looks, is raised and lowered:
///
/// - To claim: swap a slot from 0; load the number; if the slot is not below it, raise it; only
///   then read the newest number again.
/// - To lower, from u to n, where all from n on were free: swap the number from u to n; then look
///   at the slots from n to u once more, and raise the number again for one that is not free.
///
/// So a slot that is claimed and stays so is below the number: if the second look misses the claim,
/// the claim, and with it the claimer's load of the number, comes after the swap to n, and the
/// claimer raises it. And where a scan loads the number before that, the claimer reads the newest
/// number after the scan began, and moves on to what had been published before it, as if the scan
/// had looked at the slot too early.
///
/// The word that claims a slot also names the participant. A participant number is owned by the
/// holder of its lock byte, who takes back the slots that an earlier owner of the number left: so
/// number and slot need no generation.
@safe final class PinTable: Sendable {
  private let memory: SharedMemory
  private let system: any System
  private let newest: NewestVersion
  private let participant: UInt64
  /// How many holders beyond the first this process has for each slot; a cache line per slot, and
  /// pages come into being as they are touched.
  private nonisolated(unsafe) let shares: UnsafeMutableRawPointer  // Only touched atomically.
  private static let shareStride = 64

  init(memory: SharedMemory, system: any System, participant: Int) throws(SystemError) {
    self.memory = memory
    self.system = system
    self.participant = UInt64(participant)
    newest = NewestVersion(memory: memory)
    unsafe shares = try AnonymousMemory.map(length: LockFileLayout.pinsMax * PinTable.shareStride)
  }

  deinit {
    unsafe AnonymousMemory.unmap(shares, length: LockFileLayout.pinsMax * PinTable.shareStride)
  }

  private subscript(share slot: Int) -> Atomic<UInt64> {
    @inline(__always)
    unsafeAddress {
      let share = unsafe shares + slot * PinTable.shareStride
      return unsafe UnsafePointer(share.assumingMemoryBound(to: Atomic<UInt64>.self))
    }
  }

  @inline(__always)
  private func pinWord(_ version: Version) -> UInt64 {
    version.rawValue << LockFileLayout.pinParticipantBits | participant
  }

  /// The version that a slot's word names.
  @inline(__always)
  static func version(in word: UInt64) -> Version {
    Version(word >> LockFileLayout.pinParticipantBits)
  }

  // MARK: Pinning

  // Has one caller, and is done before each reading.
  @inline(__always)
  func pinNewest(label: PinLabel) throws(LockFileError) -> Pin {
    let hint = unsafe ThreadHint.address()
    var version = newest.number()
    let slot = try claim(pinWord(version), near: Int(unsafe hint.pointee))
    unsafe hint.pointee = UInt32(truncatingIfNeeded: slot + 1)
    while true {
      let now = newest.number()
      if now == version {
        if let published = newest.published(version) {
          describe(slot, published)
          describe(slot, label)
          return Pin(published: published, slot: slot)
        }
        do {
          try newest.requireOvertaken(version)
        } catch {
          free(slot)
          throw error
        }
        continue
      }
      version = now
      memory[pin: slot].store(pinWord(version), ordering: .sequentiallyConsistent)
    }
  }

  /// Moves a pin that has one holder on to the version that the caller, who has the writer role,
  /// has just published.
  func move(_ pin: Pin, to newest: PublishedVersion) -> Pin {
    precondition(
      self[share: pin.slot].load(ordering: .relaxed) == 0, "a pin that is shared was moved")
    memory[pin: pin.slot].store(pinWord(newest.version), ordering: .sequentiallyConsistent)
    describe(pin.slot, newest)
    return Pin(published: newest, slot: pin.slot)
  }

  /// A pin of the version that another slot pins, in a slot of its own; nil if that one has been
  /// freed meanwhile. For the holder of the writer role: since only that one may scan the slots to
  /// reclaim space, no scan can come between and miss both.
  func pinSame(as other: PinDescription, label: PinLabel) throws(LockFileError) -> Pin? {
    let slot = try claim(pinWord(other.version), near: Int(unsafe ThreadHint.address().pointee))
    let there = memory[pin: other.slot].load(ordering: .sequentiallyConsistent)
    guard PinTable.version(in: there) == other.version else {
      free(slot)
      return nil
    }
    describe(slot, 0, LockFileLayout.pinExpired)
    describe(slot, other.published)
    describe(slot, label)
    return Pin(published: other.published, slot: slot)
  }

  /// One more holder of the same pin.
  func pinAgain(_ pin: Pin) -> Pin {
    self[share: pin.slot].wrappingAdd(1, ordering: .relaxed)
    return pin
  }

  @inline(__always)
  func unpin(_ pin: Pin) {
    // Only a holder can add holders: 0 means that this is the only one, and stays so.
    if self[share: pin.slot].load(ordering: .acquiring) != 0 {
      let others = self[share: pin.slot].wrappingSubtract(1, ordering: .acquiringAndReleasing)
        .oldValue
      if others != 0 { return }
      self[share: pin.slot].store(0, ordering: .relaxed)
    }
    free(pin.slot)
    unsafe ThreadHint.address().pointee = UInt32(truncatingIfNeeded: pin.slot)
  }

  @inline(__always)
  private func free(_ slot: Int) {
    memory[pin: slot].store(0, ordering: .releasing)
  }

  /// For people; not read by anything that decides.
  @inline(__always)
  private func describe(_ slot: Int, _ published: PublishedVersion) {
    describe(slot, published.root, LockFileLayout.pinRoot)
    describe(slot, published.logicalSize, LockFileLayout.pinLogicalSize)
    describe(slot, 0, LockFileLayout.pinSince)
  }

  @inline(__always)
  private func describe(_ slot: Int, _ label: PinLabel) {
    describe(slot, label.first, LockFileLayout.pinLabel)
    describe(slot, label.second, LockFileLayout.pinLabel + 8)
    describe(slot, label.third, LockFileLayout.pinLabel + 16)
  }

  @inline(__always)
  private func describe(_ slot: Int, _ value: UInt64, _ field: Int) {
    memory[memory.pinOffset(slot) + field].store(value, ordering: .relaxed)
  }

  // MARK: Slots

  @inline(__always)
  private func claim(_ value: UInt64, near hint: Int) throws(LockFileError) -> Int {
    if hint < memory.pinsKnown(), tryClaim(hint, value) { return hint }
    return try search(value, from: hint)
  }

  @inline(__always)
  private func tryClaim(_ slot: Int, _ value: UInt64) -> Bool {
    let isClaimed = memory[pin: slot].compareExchange(
      expected: 0, desired: value, ordering: .sequentiallyConsistent
    ).exchanged
    if isClaimed,
      UInt64(slot) >= memory[LockFileLayout.pinsUsed].load(ordering: .sequentiallyConsistent)
    {
      include(slot)
    }
    return isClaimed
  }

  /// Scans look at the slot from here on.
  private func include(_ slot: Int) {
    _ = memory[LockFileLayout.pinsUsed].max(UInt64(slot + 1), ordering: .sequentiallyConsistent)
  }

  private func isFree(_ slot: Int) -> Bool {
    memory[pin: slot].load(ordering: .sequentiallyConsistent) == 0
  }

  /// A few slots from the hint on, then a fresh one, then any, then more of them.
  private func search(_ value: UInt64, from hint: Int) throws(LockFileError) -> Int {
    while true {
      let used = memory.pinsUsed()
      for step in 0..<min(used, 64) {
        let slot = (hint + step) % used
        if isFree(slot), tryClaim(slot, value) { return slot }
      }
      let capacity = memory.pinCapacity()
      for slot in used..<min(used + 64, capacity) where tryClaim(slot, value) { return slot }
      for slot in 0..<capacity where isFree(slot) && tryClaim(slot, value) { return slot }
      try memory.growPins(seen: capacity)
    }
  }

  /// Lowers the number of slots in use to what a scan found, once that is worth it: then later
  /// scans are shorter.
  private func lowerUsed(from used: Int, to needed: Int) {
    guard used >= 2 * needed + PinTable.slackSlots else { return }
    let lowered = memory[LockFileLayout.pinsUsed].compareExchange(
      expected: UInt64(used), desired: UInt64(needed), ordering: .sequentiallyConsistent)
    guard lowered.exchanged else { return }
    for slot in (needed..<used).reversed() where !isFree(slot) { return include(slot) }
  }

  private static let slackSlots = 64

  // MARK: Invariants

  /// Traps if a pin is where no scan looks, or has an impossible value. For a session whose memory
  /// is undamaged, while no thread pins.
  func checkInvariants() {
    #if DEBUG
      let used = memory.pinsUsed()
      let newestVersion = newest.number()
      for slot in 0..<memory.pinCapacity() {
        let value = memory[pin: slot].load(ordering: .sequentiallyConsistent)
        let mask = (1 << LockFileLayout.pinParticipantBits) - 1 as UInt64
        assert(value == 0 || slot < used, "slot \(slot) is in use beyond the \(used) that count")
        assert(
          PinTable.version(in: value) <= newestVersion,
          "slot \(slot) pins a version that is not published")
        assert(
          value & mask < UInt64(LockFileLayout.participantsMax),
          "slot \(slot) names no participant")
        assert(
          value != 0 || self[share: slot].load(ordering: .relaxed) == 0,
          "slot \(slot) is shared and free")
      }
    #endif
  }

  // MARK: Looking at all of them

  /// The distinct versions in use, oldest first, the newest among them.
  func versions(into versions: inout [Version]) {
    versions.removeAll(keepingCapacity: true)
    let newestVersion = newest.number()
    versions.append(newestVersion)
    let used = memory.pinsUsed()
    var needed = 0
    for slot in 0..<used {
      let value = memory[pin: slot].load(ordering: .sequentiallyConsistent)
      if value == 0 { continue }
      needed = slot + 1
      let version = PinTable.version(in: value)
      // What is newer than the newest was pinned after the scan began, or is damage.
      guard version < newestVersion else { continue }
      versions.append(version)
      stamp(slot)
    }
    lowerUsed(from: used, to: needed)
    guard versions.count > 1 else { return }
    versions.sort()
    var kept = 0
    // By position: a loop over the elements would keep the array, and writing to it would copy it.
    for position in versions.indices where kept == 0 || versions[kept - 1] != versions[position] {
      versions[kept] = versions[position]
      kept += 1
    }
    versions.removeLast(versions.count - kept)
  }

  /// Notes since when a pin has kept an old version. Pinning itself does without the clock.
  private func stamp(_ slot: Int) {
    let offset = memory.pinOffset(slot) + LockFileLayout.pinSince
    if memory[offset].load(ordering: .relaxed) != 0 { return }
    memory[offset].store(system.coarseNow(), ordering: .relaxed)
  }

  /// The participants that occur in slots, without this one.
  func otherParticipants() -> Set<UInt64> {
    var result: Set<UInt64> = []
    let mask = (1 << LockFileLayout.pinParticipantBits) - 1 as UInt64
    for slot in 0..<memory.pinsUsed() {
      let value = memory[pin: slot].load(ordering: .relaxed)
      if value != 0, value & mask != participant { result.insert(value & mask) }
    }
    return result
  }

  /// Frees the slots of a participant. The caller holds that participant's byte, so they are
  /// not in use. Those of one that died while it claimed them may be beyond the slots in use.
  func freeSlots(of participant: UInt64) -> Int {
    var count = 0
    let mask = (1 << LockFileLayout.pinParticipantBits) - 1 as UInt64
    for slot in 0..<memory.pinCapacity() {
      let value = memory[pin: slot].load(ordering: .relaxed)
      guard value != 0, value & mask == participant else { continue }
      let freed = memory[pin: slot].compareExchange(
        expected: value, desired: 0, ordering: .sequentiallyConsistent)
      if freed.exchanged { count += 1 }
    }
    return count
  }

  /// The contents of the slots in use; process and liveness are filled in by the caller.
  func descriptions() -> [PinDescription] {
    let now = system.now()
    return (0..<memory.pinsUsed()).compactMap { slot in
      let value = memory[pin: slot].load(ordering: .sequentiallyConsistent)
      guard value != 0 else { return nil }
      let offset = memory.pinOffset(slot)
      func field(_ field: Int) -> UInt64 {
        memory[offset + field].load(ordering: .relaxed)
      }
      let since = field(LockFileLayout.pinSince)
      let label = PinLabel(
        field(LockFileLayout.pinLabel), field(LockFileLayout.pinLabel + 8),
        field(LockFileLayout.pinLabel + 16))
      return PinDescription(
        slot: slot,
        published: PublishedVersion(
          version: PinTable.version(in: value),
          root: field(LockFileLayout.pinRoot), logicalSize: field(LockFileLayout.pinLogicalSize)),
        participant: Int(value & (1 << LockFileLayout.pinParticipantBits - 1)),
        process: 0, processName: "", age: since > 0 && now > since ? now - since : 0,
        label: label.description, isAlive: true)
    }
  }
}
