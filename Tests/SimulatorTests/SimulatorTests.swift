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
    let workers = SimulationWorkers()
    for seed in 1...20 as ClosedRange<UInt64> {
      let outcomes = (0..<2).map { _ in Simulation(seed: seed, workers: workers).run() }
      #expect(outcomes[0] == outcomes[1], "seed \(seed)")
    }
  }
}
