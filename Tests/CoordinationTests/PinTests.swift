import Glibc
import Platform
import Synchronization
import Testing

@testable import Coordination

@Suite struct PinTests {
  let database = Database()

  @Test func aPinHoldsItsVersionUntilItIsGivenBack() throws {
    let lockFile = try database.open().lockFile
    let pin = try lockFile.pinNewest()
    #expect(pin.published == published(1))
    lockFile.publish(published(2))
    lockFile.publish(published(3))
    #expect(lockFile.versionsInUse() == [1, 3])
    lockFile.unpin(pin)
    #expect(lockFile.versionsInUse() == [3])
  }

  @Test func aVersionIsHeldUntilItsLastHolderLetsGo() throws {
    let lockFile = try database.open().lockFile
    let first = try lockFile.pinNewest()
    let second = lockFile.pinAgain(first)
    let third = lockFile.pinAgain(second)
    lockFile.publish(published(2))
    lockFile.unpin(first)
    lockFile.unpin(third)
    #expect(lockFile.versionsInUse() == [1, 2])
    lockFile.unpin(second)
    #expect(lockFile.versionsInUse() == [2])
  }

  @Test func pinsOfOtherProcessesCount() throws {
    let lockFile = try database.open().lockFile
    let child = try database.process()
    try child.ask("open")
    #expect(try child.ask("pin") == "pinned 1")
    lockFile.publish(published(2))
    #expect(try child.ask("pin") == "pinned 2")
    lockFile.publish(published(3))
    #expect(lockFile.versionsInUse(.now) == [1, 2, 3])
    try child.ask("unpin")
    try child.ask("unpin")
    #expect(lockFile.versionsInUse(.now) == [3])
  }

  @Test func pinsAreDescribedForPeople() throws {
    let lockFile = try database.open().lockFile
    let child = try database.process()
    try child.ask("open")
    try child.ask("pin")
    let pin = try lockFile.pinNewest(label: PinLabel("a label for the tool, cut short"))
    let descriptions = lockFile.pins().sorted { $0.participant < $1.participant }
    #expect(descriptions.map(\.process) == [ProcessDescription.number, UInt64(child.number)])
    #expect(descriptions.map(\.label) == ["a label for the tool, cu", "child"])
    #expect(descriptions.map(\.version) == [1, 1])
    #expect(descriptions.map(\.isAlive) == [true, true])
    #expect(descriptions[1].processName == "TestProgram")
    #expect(descriptions[0].age < 10_000_000_000)
    child.kill()
    #expect(lockFile.pins().filter(\.isAlive).map(\.participant) == [0])
    #expect(lockFile.reap() == 1)
    #expect(lockFile.pins().count == 1)
    lockFile.unpin(pin)
  }

  @Test func aDeadReadersPinsAreTakenBackByAWriterWithoutBeingAsked() throws {
    let lockFile = try database.open().lockFile
    let child = try database.process()
    try child.ask("open")
    try child.ask("pin")
    lockFile.publish(published(2))
    child.kill()
    #expect(lockFile.versionsInUse(.whenDue) == [2])
  }

  @Test func aNewOwnerOfANumberTakesBackWhatTheOldOneLeft() throws {
    let lockFile = try database.open().lockFile
    let child = try database.process()
    try child.ask("open")
    try child.ask("pin")
    lockFile.publish(published(2))
    child.kill()
    #expect(lockFile.versionsInUse() == [1, 2])
    let other = try database.open().lockFile
    #expect(lockFile.versionsInUse() == [2])
    _ = try other.pinNewest()
    lockFile.publish(published(3))
    #expect(lockFile.versionsInUse(.now) == [2, 3])
  }

  @Test func closingGivesBackWhatIsPinned() throws {
    let first = try database.open().lockFile
    let second = try database.open().lockFile
    let pin = try second.pinNewest()
    first.publish(published(2))
    second.close()
    second.unpin(pin)
    #expect(first.versionsInUse() == [2])
  }

  @Test func slotsGrowInSightOfEverybody() throws {
    let first = try database.open().lockFile
    let second = try database.open().lockFile
    let count = LockFileLayout.pinsInitially * 5
    var pins: [Pin] = []
    for number in 2...UInt64(count) {
      pins.append(try (number % 2 == 0 ? first : second).pinNewest())
      first.publish(published(Version(number)))
    }
    let all = (1...UInt64(count)).map { Version($0) }
    #expect(first.versionsInUse(.now) == all)
    #expect(second.versionsInUse(.now) == all)
    for (index, pin) in pins.enumerated() { (index % 2 == 0 ? first : second).unpin(pin) }
    #expect(first.versionsInUse() == [Version(UInt64(count))])
  }

  private func slotsInUse(_ lockFile: LockFile) -> Int {
    lockFile.pinTable.checkInvariants()
    return lockFile.memory.pinsUsed()
  }

  @Test func `scans are short again when many pins have gone`() throws {
    let first = try database.open().lockFile
    let second = try database.open().lockFile
    var pins = try (0..<2000).map { _ in try first.pinNewest() }
    let others = try (0..<10).map { _ in try second.pinNewest() }
    #expect(slotsInUse(first) >= 2010)
    first.publish(published(2))
    #expect(first.versionsInUse() == [1, 2])
    for pin in pins { first.unpin(pin) }
    // What is still pinned lies at the end of what was in use.
    #expect(first.versionsInUse() == [1, 2])
    #expect(slotsInUse(first) >= 2010)
    for pin in others { second.unpin(pin) }
    #expect(second.versionsInUse() == [2])
    #expect(slotsInUse(first) == 0)
    pins = try (0..<300).map { _ in try first.pinNewest() }
    first.publish(published(3))
    #expect(second.versionsInUse() == [2, 3])
    #expect(slotsInUse(first) >= 300)
    for pin in pins { first.unpin(pin) }
    #expect(second.versionsInUse() == [3])
  }

  @Test func `what died while it claimed a slot does not come back with it`() throws {
    let first = try database.open().lockFile
    // As if the second participant of an earlier time had claimed it and not been able to say so.
    first.memory[pin: 100].store(
      1 << LockFileLayout.pinParticipantBits | 1, ordering: .relaxed)
    first.publish(published(2))
    let second = try database.open().lockFile
    let pins = try (0..<150).map { _ in try second.pinNewest() }
    #expect(first.versionsInUse() == [2])
    for pin in pins { second.unpin(pin) }
  }

  @Test func `a pin's age counts from when it keeps an old version`() throws {
    let lockFile = try database.open().lockFile
    let pin = try lockFile.pinNewest()
    #expect(lockFile.versionsInUse() == [1])
    #expect(lockFile.pins().map(\.age) == [0])
    lockFile.publish(published(2))
    #expect(lockFile.versionsInUse() == [1, 2])
    yield { lockFile.pins()[0].age > 0 }
    lockFile.unpin(pin)
    let next = try lockFile.pinNewest()
    #expect(lockFile.pins().map(\.age) == [0])
    lockFile.unpin(next)
  }

  @Test func whatWasLeftBeyondTheFirstSlotsDoesNotCountInTheNextSession() throws {
    let first = try database.open().lockFile
    for _ in 0..<LockFileLayout.pinsInitially * 2 { _ = try first.pinNewest() }
    let child = try database.process()
    try child.ask("open")
    for _ in 0..<600 { try child.ask("pin") }
    first.close()
    child.kill()
    let second = try database.open(version: 9).lockFile
    for _ in 0..<LockFileLayout.pinsInitially + 1 { _ = try second.pinNewest() }
    #expect(second.versionsInUse() == [9])
    #expect(second.pins().count == LockFileLayout.pinsInitially + 1)
  }

  @Test func aFullDiskIsAnErrorAndPinsGoOnAfterwards() throws {
    let system = FullDisk()
    let dataFile = try database.dataFile()
    let lockFile = try LockFile.open(
      path: database.lockPath, dataFile: dataFile, system: system
    ) { (_) throws(Never) in .init(newest: published(1), durable: 1) }
    system.isFull.set()
    var pins: [Pin] = []
    for _ in 0..<LockFileLayout.pinsInitially { pins.append(try lockFile.pinNewest()) }
    #expect(code { _ = try lockFile.pinNewest() } == .system)
    lockFile.unpin(pins.removeFirst())
    #expect(try lockFile.pinNewest().version == 1)
  }

  @Test func aWritersPinMovesOnWithoutAnotherSlot() throws {
    let system = FullDisk()
    let lockFile = try LockFile.open(
      path: database.lockPath, dataFile: try database.dataFile(), system: system
    ) { (_) throws(Never) in .init(newest: published(1), durable: 1) }
    system.isFull.set()
    var pins: [Pin] = []
    for _ in 1..<LockFileLayout.pinsInitially { pins.append(try lockFile.pinNewest()) }
    let claimed = try lockFile.pinNewest(label: PinLabel("writer"))
    let moved = lockFile.publish(published(2), moving: claimed)
    #expect(moved.published == published(2))
    #expect(lockFile.newestVersion == 2)
    for pin in pins { lockFile.unpin(pin) }
    #expect(lockFile.pins().map(\.published) == [published(2)])
    #expect(lockFile.pins().map(\.label) == ["writer"])
    lockFile.publish(published(3))
    #expect(lockFile.versionsInUse() == [2, 3])
    lockFile.unpin(moved)
    #expect(lockFile.versionsInUse() == [3])
  }

  /// A thread notes what it has pinned after it has pinned it, and strikes it out before it unpins.
  /// A note that stands before and after a scan has to be in the scan.
  @Test func noScanMissesAPinUnderContention() throws {
    let writer = try database.open().lockFile
    let reader = try database.open().lockFile
    let notes = (0..<3).map { _ in Note() }
    let isDone = Flag()
    let missed = Counter()
    let wrong = Counter()
    try runThreads(4) { index in
      if index == 3 {
        for number in 2...20_000 as ClosedRange<UInt64> {
          writer.publish(published(Version(number)))
          let before = notes.map(\.value)
          let versions = Set(writer.versionsInUse())
          for (note, value) in zip(notes, before) where value != 0 && note.value == value {
            if !versions.contains(Version(value & 0xFFFF_FFFF)) { missed.add() }
          }
        }
        return isDone.set()
      }
      var round: UInt64 = 0
      var held: [Pin] = []
      while !isDone.isSet {
        round += 1
        guard let pin = try? reader.pinNewest() else { return wrong.fail() }
        if pin.published != published(pin.version) { wrong.add() }
        notes[index].value = round << 32 | pin.version.rawValue
        if round % 3 == 0 { held.append(reader.pinAgain(pin)) }
        if held.count > 10 { reader.unpin(held.removeFirst()) }
        notes[index].value = 0
        reader.unpin(pin)
      }
      for pin in held { reader.unpin(pin) }
    }
    #expect(missed.value == 0)
    #expect(wrong.value == 0)
    #expect(writer.versionsInUse() == [20_000])
  }

  /// As above, while threads fill many slots and empty them again, so that what a scan looks at
  /// grows and shrinks all the time. The pins that are noted are in slots behind those. Now and
  /// then both threads pause with nothing pinned, so that a scan is known to come between growth
  /// and shrinkage.
  @Test func `no scan misses a pin while the slots in use come and go`() throws {
    let writer = try database.open().lockFile
    let reader = try database.open().lockFile
    let pauses = Pauses(threads: 2)
    let notes = (0..<2).map { _ in Note() }
    let (missed, lowered) = (Counter(), Counter())
    try runThreads(3) { index in
      guard index == 2 else {
        Self.pinInBursts(reader, notes[index], pauses, index, onFailure: { missed.fail() })
        return
      }
      for number in 2...3_000 as ClosedRange<UInt64> {
        writer.publish(published(Version(number)))
        if number % 20 == 0 { pauses.begin(number) }
        // Half of the scans after a pause meet the threads as they go on.
        if number % 40 == 0 { pauses.end() }
        let before = notes.map(\.value)
        let versions = Set(writer.versionsInUse())
        for (note, value) in zip(notes, before) where value != 0 && note.value == value {
          if !versions.contains(Version(value & 0xFFFF_FFFF)) { missed.add() }
        }
        guard number % 40 == 20 else { continue }
        // Since the last pause each thread has had this many pins at once.
        if writer.memory.pinsUsed() < Self.burstPins { lowered.add() }
        pauses.end()
      }
      pauses.finish()
    }
    #expect(missed.value == 0)
    #expect(lowered.value == 75)
    writer.publish(published(3_001))
    #expect(writer.versionsInUse() == [3_001])
    writer.pinTable.checkInvariants()
  }

  private static let burstPins = 70

  /// Rounds of many pins that are short, and of one that is noted and lasts until scans have come
  /// by.
  private static func pinInBursts(
    _ lockFile: LockFile, _ note: Note, _ pauses: Pauses, _ index: Int, onFailure: () -> Void
  ) {
    defer { pauses.leave(index) }
    var round: UInt64 = 0
    while !pauses.isFinished {
      round += 1
      guard let burst = try? (0..<Self.burstPins).map({ _ in try lockFile.pinNewest() }),
        let pin = try? lockFile.pinNewest()
      else { return onFailure() }
      for pin in burst { lockFile.unpin(pin) }
      note.value = round << 32 | pin.version.rawValue
      let wanted = lockFile.newestVersion.advanced(by: 2)
      yield { lockFile.newestVersion >= wanted || pauses.isWanted || pauses.isFinished }
      note.value = 0
      lockFile.unpin(pin)
      pauses.take(index)
    }
  }

  /// Lets threads pause at a point of their own until another thread lets them go on.
  private final class Pauses: Sendable {
    private let wanted = Note()
    private let over = Note()
    private let taken: [Note]

    init(threads: Int) { taken = (0..<threads).map { _ in Note() } }

    /// Whether a pause has begun that is not over.
    var isWanted: Bool { wanted.value != over.value }

    var isFinished: Bool { wanted.value == .max }

    /// Returns when all threads have reached the pause, whose number is higher than those before.
    func begin(_ number: UInt64) {
      wanted.value = number
      yield { taken.allSatisfy { $0.value >= number } }
    }

    func end() { over.value = wanted.value }

    func finish() {
      wanted.value = .max
      over.value = .max
    }

    /// Pauses if a pause is wanted.
    func take(_ index: Int) {
      guard isWanted else { return }
      let number = wanted.value
      taken[index].value = number
      yield { over.value >= number }
    }

    /// The thread takes part in no further pause.
    func leave(_ index: Int) { taken[index].value = .max }
  }

  private final class Note: Sendable {
    private let number = Atomic<UInt64>(0)
    var value: UInt64 {
      get { number.load(ordering: .sequentiallyConsistent) }
      set { number.store(newValue, ordering: .sequentiallyConsistent) }
    }
  }

  @Test func labelsAreCutBetweenCharacters() {
    #expect(PinLabel("").description == "")
    #expect(PinLabel("frozen").description == "frozen")
    #expect(PinLabel(String(repeating: "é", count: 20)).description.count == 12)
    #expect(PinLabel("12345678901234567890123é").description == "12345678901234567890123")
  }
}
