import EngineLab
import Testing

@Suite(.serialized) struct KillTests {
  @Test func `a thousand kills of contending writers lose nothing and hold nobody up`() throws {
    let storm = KillStorm(kills: 1000, seed: 20_261_001)
    let report = try storm.run()
    report.show()
    #expect(report.findings == [])
    #expect(storm.waits.count > 50)
    // How long the kernel takes to bury a process, with the flush that it may be in, says how busy
    // the machine and its disk are. What comes after it is ours.
    #expect(storm.waitsAfterBurial.maximum < 500)
    #expect(storm.waitsAfterBurial.quantile(0.99) < 20)
  }

  @Test func `whatever is killed, objects of every kind stay sound`() throws {
    let report = try ObjectKills(kills: 120, seed: 20_261_004).run()
    report.show()
    #expect(report.findings == [])
  }

  @Test func `a writer may die at any system call`() throws {
    let report = try DeathAtEachCall(levels: [.full, .relaxed, .inMemory], seed: 20_261_002).run()
    report.show()
    #expect(report.findings == [])
  }

  @Test func `what only a dead reader kept is reusable within a second`() throws {
    let report = try DeadReader(rounds: 3, seed: 20_261_003).run()
    report.show()
    #expect(report.findings == [])
  }
}
