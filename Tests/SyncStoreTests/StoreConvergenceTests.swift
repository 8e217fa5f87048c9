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
}
