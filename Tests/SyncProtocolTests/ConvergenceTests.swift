import SyncLab
import SyncProtocol
import Testing

@Suite("sync") struct ConvergenceTests {
  @Test("ends with the same data everywhere, whatever is lost, late or restarted")
  func convergence() {
    for seed in UInt64(1)...150 {
      let finding = ConvergenceRun.run(seed: seed).finding
      #expect(finding == nil)
    }
  }

  /// Writes into a container that a restored backup lacks; a removal of which the mark was trimmed
  /// and an older write.
  @Test("ends with the same data where it once did not", arguments: [20144, 20275] as [UInt64])
  func kept(seed: UInt64) { #expect(ConvergenceRun.run(seed: seed).finding == nil) }

  @Test("decodes damaged frames to a value or an error")
  func fuzz() { #expect(FrameFuzz.run(count: 100_000, seed: 1) == nil) }
}
