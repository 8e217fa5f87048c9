import ObjectStore
import Storage
import SyncProtocol
import SyncStoreLab
import Testing

@Suite("a synced file that has gone back") struct CopiedFileTests {
  private func create(_ keys: ClosedRange<Int64>, in device: StoreDevice) throws {
    for key in keys {
      try device.write { writes in
        let known = writes.schema.description.description(of: "Thing")!
        try writes.createObject(in: known.tableKey, primaryKey: key)
      }
    }
  }

  @Test("makes no time a second time, though its clock is ahead of the machine's")
  func makesOtherTimes() throws {
    let clock = StoreClock()
    let device = try StoreDevice(4096, clock: clock, subscriptions: [])
    try create(1...3, in: device)
    clock.now -= 500_000
    let before = try device.info.record.clock.latest
    let states = try [100, 90_000].map { try StoreDevice(copyOf: device, jump: $0) }
    for state in states { try create(4...6, in: state) }
    let times = try states.map { try $0.info.record.clock.latest }
    #expect(before + 100 < times[0] && times[0] < before + 90_000 && before + 90_000 < times[1])
  }

  @Test("jumps once in each process")
  func jumpsOnce() throws {
    let clock = StoreClock()
    let device = try StoreDevice(4096, clock: clock, subscriptions: [])
    try create(1...1, in: device)
    clock.now -= 500_000
    let copy = try StoreDevice(copyOf: device, jump: 1000)
    let before = try copy.info.record.clock.latest
    try create(2...6, in: copy)
    #expect(try copy.info.record.clock.latest < before + 1200)
  }
}
