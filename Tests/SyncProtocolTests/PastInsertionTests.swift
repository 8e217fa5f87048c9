import SyncProtocol
import Testing

@Suite("elements that were inserted before") struct PastInsertionTests {
  private let object = ObjectID(type: NameID(0), key: .int(1))
  private let list = ContainerID(declaredBy: NameID(1), in: .root)

  /// A client with an object that has three elements in its list.
  private func client() throws -> ClientCore<MemoryClientStorage> {
    var core = ClientCore(storage: MemoryClientStorage(client: ClientID(7)))
    core.create(object, now: 1_000)
    for index in 0..<3 { core.insert(.null, at: index, of: list, in: object, now: 1_001) }
    try core.storage.commit()
    return core
  }

  private func insertOneByOne(
    _ insertions: [PastInsertion], _ core: inout ClientCore<MemoryClientStorage>
  ) {
    for insertion in insertions {
      core.note(from: insertion.time)
      for offset in 0..<insertion.count {
        core.insert(.null, at: insertion.index + offset, of: list, in: object, now: 0)
      }
    }
    core.note(from: nil)
  }

  @Test("are noted together as they are one by one", arguments: [false, true])
  func together(hasHidden: Bool) throws {
    var one = try client()
    if hasHidden {
      one.removeItem(1, of: list, in: object, now: 1_002)
      one.moveItem(1, to: 0, of: list, in: object, now: 1_003)
    }
    var other = one
    let times = (1...4).map { HybridClock.time(milliseconds: 2_000) + UInt64($0) * 1_000 }
    let insertions = [
      PastInsertion(index: 2, count: 1, time: times[0]),
      PastInsertion(index: 0, count: 40, time: times[1]),
      PastInsertion(index: 43, count: 1, time: times[2]),
      PastInsertion(index: 20, count: 2, time: times[3]),
    ]
    insertOneByOne(insertions, &one)
    let isNoted = other.note(insertions, into: list, of: object)
    #expect(isNoted)
    #expect(one.storage.state(of: object) == other.storage.state(of: object))
    #expect(one.storage.record.elements == other.storage.record.elements)
  }

  @Test("are not noted if there is no such index: nothing is")
  func beyondTheEnd() throws {
    var core = try client()
    let before = (core.storage.state(of: object), core.storage.record.elements)
    let time = HybridClock.time(milliseconds: 2_000)
    let insertions = [
      PastInsertion(index: 3, count: 2, time: time), PastInsertion(index: 6, count: 1, time: time),
    ]
    let isNoted = core.note(insertions, into: list, of: object)
    #expect(!isNoted)
    #expect(core.storage.state(of: object) == before.0)
    #expect(core.storage.record.elements == before.1)
  }
}
