import Foundation
import ObjectStore
import Storage
import SyncProtocol
import SyncStore
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

  /// A file with objects, whose clock is ahead of the machine's.
  private func file(with keys: ClosedRange<Int64>) throws -> StoreDevice {
    let clock = StoreClock()
    let device = try StoreDevice(4096, clock: clock, subscriptions: [])
    try create(keys, in: device)
    clock.now -= 500_000
    return device
  }

  @Test("makes no time a second time, though its clock is ahead of the machine's")
  func makesOtherTimes() throws {
    let device = try file(with: 1...3)
    let before = try device.info.record.clock.latest
    let states = try [100, 90_000].map {
      try StoreDevice(copyOf: device, cache: SyncCache(jump: $0))
    }
    for state in states { try create(4...6, in: state) }
    let times = try states.map { try $0.info.record.clock.latest }
    #expect(before + 100 < times[0] && times[0] < before + 90_000 && before + 90_000 < times[1])
  }

  @Test("makes other times in the process, too, that had written it before")
  func sameProcess() throws {
    let device = try file(with: 1...3)
    let path = "\(UUID())"
    let times = try (0..<2).map { _ in
      let state = try StoreDevice(copyOf: device, cache: SyncCache(path: path))
      try create(4...4, in: state)
      return try state.info.record.clock.latest
    }
    #expect(times[0] != times[1])
  }

  @Test("jumps once in each process")
  func jumpsOnce() throws {
    let copy = try StoreDevice(
      copyOf: try file(with: 1...1), cache: SyncCache(jump: 1000))
    let before = try copy.info.record.clock.latest
    try create(2...6, in: copy)
    #expect(try copy.info.record.clock.latest < before + 1200)
  }
}
