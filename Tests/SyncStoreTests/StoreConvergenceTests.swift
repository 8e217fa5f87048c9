import SyncStoreLab
import Testing

@Suite("synced files") struct StoreConvergenceTests {
  @Test("end with the same objects of every kind, whatever is written where, and when it is sent")
  func convergence() throws {
    for seed in UInt64(1)...48 {
      let finding = try StoreRun.run(seed: seed)
      #expect(finding == nil, "seed \(seed)")
    }
  }

  @Test("end with the same objects where lists are emptied and backups of the server are restored")
  func restored() throws {
    for seed in UInt64(1)...48 {
      let finding = try StoreRun.run(seed: seed, isRestored: true)
      #expect(finding == nil, "seed \(seed)")
    }
  }

  @Test("end with the same objects where links lead to such as come into view and leave it")
  func views() throws {
    for seed in UInt64(1)...48 {
      let finding = try StoreRun.run(seed: seed, changesViews: true)
      #expect(finding == nil, "seed \(seed)")
    }
  }
}
