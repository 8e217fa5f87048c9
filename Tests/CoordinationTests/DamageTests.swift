import TestSupport
import Testing

@testable import Coordination

/// Whatever is scribbled over the shared memory of a running session: no crash, no hang, and the
/// next session is fine.
@Suite struct DamageTests {
  @Test(arguments: 0..<60 as Range<UInt64>)
  func scribblingOverARunningSessionIsSurvived(seed: UInt64) throws {
    let database = Database()
    var random = SeededGenerator(seed: seed)
    let first = try database.open()
    let second = try database.open()
    let pin = try second.lockFile.pinNewest()
    for _ in 0..<10 {
      try scribble(noise(&random), at: place(&random), of: database.lockPath)
      use(first.lockFile)
      use(second.lockFile)
      if let third = try? database.open() { use(third.lockFile) }
    }
    second.lockFile.unpin(pin)
    first.lockFile.close()
    second.lockFile.close()
    let next = try database.open(version: 5)
    #expect(next.wasAlone, "seed \(seed)")
    #expect(next.lockFile.versionsInUse(.now) == [5], "seed \(seed)")
  }

  private func noise(_ random: inout SeededGenerator) -> [UInt8] {
    let count = Int.random(in: 1...64, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return [UInt8](repeating: 0, count: count)
    case 1: return [UInt8](repeating: 0xFF, count: count)
    default: return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
  }

  private func place(_ random: inout SeededGenerator) -> Int {
    let (start, end) = [
      (0, LockFileLayout.ring), (LockFileLayout.ring, LockFileLayout.ring + 1024),
      (LockFileLayout.participants, LockFileLayout.participants + 256),
      (LockFileLayout.pins, LockFileLayout.pins + 4096),
    ].randomElement(using: &random)!
    return Int.random(in: start..<end, using: &random)
  }

  private func use(_ lockFile: LockFile) {
    _ = try? lockFile.newest()
    if let pin = try? lockFile.pinNewest() { lockFile.unpin(lockFile.pinAgain(pin)) }
    _ = lockFile.versionsInUse(.now)
    _ = lockFile.pins().count
    _ = lockFile.durableVersion
    if (try? lockFile.tryLockWriter()) == true { lockFile.unlockWriter() }
    lockFile.wakeOthers()
  }
}
