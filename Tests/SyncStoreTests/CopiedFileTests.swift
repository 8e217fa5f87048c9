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

  private func cache(writer: UInt64) -> SyncCache { SyncCache { writer % $0 } }

  @Test("writes under other names than the state that is lost, though their times are the same")
  func otherWriters() throws {
    let device = try file(with: 1...3)
    let states = try [100, 90_000].map {
      try StoreDevice(copyOf: device, cache: cache(writer: $0))
    }
    for state in states { try create(4...6, in: state) }
    let records = try states.map { try $0.info.record }
    #expect(records[0].clock == records[1].clock)
    #expect(records[0].author != records[1].author)
    #expect(records.allSatisfy { $0.author.isOfSameFile(as: ClientID(4096)) })
  }

  @Test("has another writer each time that it is opened, and only then")
  func eachOpening() throws {
    let device = try file(with: 1...3)
    let authors = try (0..<2).map { _ in
      let state = try StoreDevice(copyOf: device, cache: SyncCache())
      try create(4...4, in: state)
      let author = try state.info.record.author
      try create(5...9, in: state)
      #expect(try state.info.record.author == author)
      return author
    }
    #expect(authors[0] != authors[1])
  }

  @Test("has its new writer though the first transaction was cancelled")
  func cancelled() throws {
    let state = try StoreDevice(copyOf: try file(with: 1...3), cache: cache(writer: 7))
    struct Cancel: Error {}
    #expect(throws: Cancel.self) {
      try state.write { writes in
        let known = writes.schema.description.description(of: "Thing")!
        try writes.createObject(in: known.tableKey, primaryKey: 4)
        throw Cancel()
      }
    }
    try create(4...4, in: state)
    #expect(try state.info.record.author == ClientID(4096).writer(7))
  }

  @Test("keeps the writer of what is in its log")
  func logged() throws {
    let device = try file(with: 1...3)
    let state = try StoreDevice(copyOf: device, cache: cache(writer: 7))
    try create(4...4, in: state)
    let past = try state.info.record.pastWriters
    #expect(past.map(\.number) == [4096])
    let again = try StoreDevice(copyOf: state, cache: cache(writer: 8))
    try create(5...5, in: again)
    let record = try again.info.record
    #expect(record.pastWriters.map(\.number) == [4096, 7])
    #expect(record.pastWriters[0].last < record.pastWriters[1].last)
    #expect(record.pastWriters[1].last < record.clock.latest)
  }

  @Test("forgets past writers when nothing is left in its log")
  func digested() throws {
    let device = try file(with: 1...3)
    device.reopen()
    try create(4...4, in: device)
    #expect(try device.info.record.pastWriters.map(\.number) == [4096])
    while try device.digest() {}
    #expect(try device.info.record.pastWriters == [])
    #expect(try device.info.record.author == ClientID(4096).writer(1))
  }

  @Test("has another writer however often it is opened while nothing is sent")
  func manyOpenings() throws {
    let device = try file(with: 1...3)
    let count = Int64(ClientRecord.pastWritersMax + 10)
    for opening in 1...count {
      device.reopen()
      try create(opening + 3...opening + 3, in: device)
      #expect(try device.info.record.author == ClientID(4096).writer(UInt64(opening)))
    }
    #expect(try device.info.record.pastWriters.count <= 10)
  }
}
