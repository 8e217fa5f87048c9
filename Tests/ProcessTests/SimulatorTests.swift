import Simulator
import Testing

@Suite struct SimulatorTests {
  @Test func `no schedule of several processes goes wrong`() {
    let run = SimulationRun(count: 5000, firstSeed: 1, batchSize: 1000)
    run.run(processes: 2)
    #expect(run.findings == [])
    #expect(run.sum.schedules == 5000)
  }

  @Test func `a seed says what happens`() {
    let sums = (0..<2).map { _ in
      let run = SimulationRun(count: 100, firstSeed: 1)
      run.run(processes: 1)
      return run.sum
    }
    #expect(sums[0].schedules == 100)
    // Within one process the order of hashed collections may differ from one run to the next;
    // `tools/lab simulate` runs with deterministic hashing.
    withKnownIssue("the order of hashed collections", isIntermittent: true) {
      #expect(sums[0] == sums[1])
    }
  }
}
