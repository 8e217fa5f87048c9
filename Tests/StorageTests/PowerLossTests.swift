import Storage
import EngineLab
import Testing

@Suite struct PowerLossTests {
  @Test(arguments: [Durability.full, .strict, .grouped, .relaxed])
  func `no disk that a power loss leaves is bad`(durability: Durability) throws {
    for seed in 1...3 as ClosedRange<UInt64> {
      let explorer = PowerLossExplorer(durability: durability, seed: seed, statesPerMoment: 4)
      try explorer.run(states: 1000)
      #expect(explorer.outcome.bad == [])
      #expect(explorer.outcome.recoveries > 0)
    }
  }

  @Test(arguments: [Durability.full, .strict, .grouped, .relaxed])
  func `no disk of an encrypted file that a power loss leaves is bad`(
    durability: Durability
  ) throws {
    for seed in 11...12 as ClosedRange<UInt64> {
      let explorer = PowerLossExplorer(
        durability: durability, seed: seed, statesPerMoment: 4, key: .lab)
      try explorer.run(states: 1000)
      #expect(explorer.outcome.bad == [])
      #expect(explorer.outcome.recoveries > 0)
    }
  }
}
