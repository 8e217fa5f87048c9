import SyncLab
import SyncProtocol
import Testing

@Suite("sync") struct ConvergenceTests {
  /// Seeds in parts, which run beside each other.
  static let parts: [Range<UInt64>] = (UInt64(0)..<8).map { $0 * 250 + 1..<$0 * 250 + 251 }

  @Test("ends with the same data everywhere, whatever is lost, late or restarted", arguments: parts)
  func convergence(seeds: Range<UInt64>) {
    for seed in seeds {
      let finding = ConvergenceRun.run(seed: seed).finding
      #expect(finding == nil)
    }
  }

  /// Writes into a container that a restored backup lacks; a removal of which the mark was trimmed
  /// and an older write; an element that moved before its creation was acknowledged, and a backup
  /// that lacks it; roles, and downloads that end early; a write into what another client has put
  /// into an object that both have created, and a rebase that does not mention it; half of a
  /// transaction that a restored backup lacks; a view that changes under a download; a refusal of
  /// what was sent once more before the client heard; elements that come back to a client that has
  /// removed them, and to a server that has forgotten that they were removed.
  @Test(
    "ends with the same data where it once did not",
    arguments: [
      20144, 20275, 15130, 40217, 3072, 5061, 6724, 16306, 62629, 6075, 15672, 30966, 22242,
      12702, 33974, 12996, 57309, 59658, 60917, 64553, 182205, 127840, 119748, 198059, 70334,
    ] as [UInt64])
  func kept(seed: UInt64) {
    #expect(ConvergenceRun.run(seed: seed, hasHabits: false).finding == nil)
  }

  /// An element that was moved after a refused batch had inserted it, and one that was written to
  /// as well; what is given back to another history in a container that is not there; an element
  /// that rises when the mark of its removal was trimmed; a download of several slices, of which
  /// the query set has changed before its end; a refused object that had been given back to a
  /// server that lacked it; a refusal of what an object was before the client heard of its
  /// generation.
  @Test(
    "ends with the same data where much is refused and trimmed",
    arguments: [
      10679, 167474, 15885, 116651, 64851, 126366, 144255, 126079, 59159, 215331,
    ] as [UInt64])
  func keptWithHabits(seed: UInt64) { #expect(ConvergenceRun.run(seed: seed).finding == nil) }

  /// A file with half of a transaction is put back after the server has lost the other half; one
  /// that was put back sends an element older than those beside it that the server has; one has a
  /// creation that waits for its class to be taken, of which the server knows a part, and starts
  /// over when that is out of view.
  @Test(
    "ends with the same data where files go back", arguments: [94584, 34619, 348083] as [UInt64])
  func keptGoingBack(seed: UInt64) {
    #expect(ConvergenceRun.run(seed: seed, goesBack: true).finding == nil)
  }

  @Test("ends with the same data where devices begin with copies of files", arguments: 0..<4)
  func keptWithSeeds(part: UInt64) {
    for seed in part * 50 + 1..<part * 50 + 51 {
      #expect(ConvergenceRun.run(seed: seed, hasSeeds: true).finding == nil)
    }
  }

  /// A backup is restored when half of a transaction is acknowledged.
  @Test("ends with the same data where it once did not, with copies", arguments: [216243 as UInt64])
  func keptWithSeeds(seed: UInt64) {
    #expect(ConvergenceRun.run(seed: seed, hasSeeds: true).finding == nil)
  }

  @Test("decodes damaged frames to a value or an error")
  func fuzz() { #expect(FrameFuzz.run(count: 50_000, seed: 1) == nil) }

  @Test("answers hostile frames, or ends; neither server nor client comes to harm")
  func hostileSessions() { #expect(SessionFuzz.run(count: 40_000, seed: 1) == nil) }
}
