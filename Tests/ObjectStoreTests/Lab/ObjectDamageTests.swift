import EngineLab
import Storage
import Testing

@Suite struct ObjectDamageTests {
  @Test func `1,000 damaged files are read correctly or refused with the place`() throws {
    let lab = try DamageLab(seed: 20_261_121)
    try lab.damageBytes(1000)
    print("seed \(lab.seed): \(lab.outcome)")
    #expect(lab.outcome.bad == [])
    #expect(lab.outcome.correct > 25 && lab.outcome.refused > 50)
  }

  @Test func `600 damaged encrypted files are read correctly or refused with the place`() throws {
    let lab = try DamageLab(seed: 20_261_122, key: .lab)
    try lab.damageBytes(600)
    print("seed \(lab.seed): \(lab.outcome)")
    #expect(lab.outcome.bad == [])
    #expect(lab.outcome.correct > 25 && lab.outcome.refused > 50)
  }

  @Test func `another node in the place of one throws and never crashes`() throws {
    let lab = try DamageLab(seed: 5)
    try lab.exchangeNodes(500)
    print("seed \(lab.seed): \(lab.outcome)")
    #expect(lab.outcome.bad == [])
    #expect(lab.outcome.refused > 50)
  }
}

@Suite struct HostileFileTests {
  /// A trap would end the test run, which is a failure as well.
  @Test func `600 files of whole but senseless nodes are read and written, or refused`() throws {
    let lab = try DamageLab(seed: 20_261_122)
    for number in 0..<600 { lab.readHostile(number, lowest: NodeKind.storeRoot.rawValue) }
    print("seed \(lab.seed): \(lab.outcome)")
    #expect(lab.outcome.bad == [])
    #expect(lab.outcome.refused > 250)
  }

  @Test func `counts that overflow are refused`() throws {
    let lab = try DamageLab(seed: 20_261_123)
    let files = lab.readOverflowingCounts()
    print("seed \(lab.seed): \(files) files, \(lab.outcome)")
    #expect(lab.outcome.bad == [])
    #expect(files > 100 && lab.outcome.refused == files)
  }
}

@Suite struct ObjectPowerLossTests {
  @Test(arguments: [Durability.full, .strict, .grouped, .relaxed])
  func `objects survive whatever a power loss leaves`(durability: Durability) throws {
    for seed in 1...2 as ClosedRange<UInt64> {
      let explorer = PowerLossExplorer(
        ObjectWorkload(seed: seed), durability: durability, seed: seed, statesPerMoment: 4)
      try explorer.run(states: 500)
      #expect(explorer.outcome.bad == [])
      #expect(explorer.outcome.recoveries > 0)
    }
  }

  @Test(arguments: [Durability.full, .relaxed])
  func `encrypted objects survive whatever a power loss leaves`(durability: Durability) throws {
    let explorer = PowerLossExplorer(
      ObjectWorkload(seed: 3), durability: durability, seed: 3, statesPerMoment: 4, key: .lab)
    try explorer.run(states: 500)
    #expect(explorer.outcome.bad == [])
  }
}
