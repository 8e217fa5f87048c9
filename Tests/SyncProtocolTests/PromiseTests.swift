import SyncLab
import SyncProtocol
import Testing

@Suite("what sync promises") struct PromiseTests {
  /// Two devices that both have item 1.
  private func shared() throws -> SyncBench {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.set(0, 1, "owner", .int(0))
    try bench.syncAll()
    return bench
  }

  @Test("a deletion wins over concurrent changes, though they are later")
  func deletion() throws {
    var bench = try shared()
    try bench.delete(0, 1)
    try bench.set(1, 1, "a", .int(5))
    try bench.syncAll()
    #expect(!bench.exists(0, 1) && !bench.exists(1, 1))
  }

  @Test("the later write of a property wins, and a default loses to an explicit value")
  func laterWrite() throws {
    var bench = try shared()
    try bench.set(1, 1, "a", .int(1))
    try bench.set(0, 1, "a", .int(2))
    try bench.set(0, 1, "b", .string("explicit"))
    try bench.set(1, 1, "b", .string("default"), isDefault: true)
    try bench.syncAll()
    for device in 0..<2 {
      #expect(bench.value(device, 1, "a") == .int(2))
      #expect(bench.value(device, 1, "b") == .string("explicit"))
    }
  }

  @Test("two creations with one key are one object")
  func creations() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.set(0, 1, "a", .int(1))
    try bench.create(1, 1)
    try bench.set(1, 1, "b", .string("two"))
    try bench.syncAll()
    for device in 0..<2 {
      #expect(bench.value(device, 1, "a") == .int(1))
      #expect(bench.value(device, 1, "b") == .string("two"))
    }
  }

  @Test("a creation that follows a deletion joins what the client could not know")
  func creationAfterDeletion() throws {
    var bench = try SyncBench(devices: 2)
    for _ in 0..<3 {
      try bench.create(0, 1)
      try bench.sync(0)
      try bench.delete(0, 1)
      try bench.sync(0)
    }
    try bench.create(0, 1)
    try bench.set(0, 1, "a", .int(1))
    try bench.sync(0)
    try bench.create(1, 1)
    try bench.delete(1, 1)
    try bench.create(1, 1)
    try bench.set(1, 1, "b", .string("kept"))
    try bench.syncAll()
    for device in 0..<2 {
      #expect(bench.value(device, 1, "a") == .int(1))
      #expect(bench.value(device, 1, "b") == .string("kept"))
    }
  }

  @Test("runs of concurrent inserts do not interleave, and appends are in the order of time")
  func lists() throws {
    var bench = try shared()
    try bench.append(0, 1, [1, 2])
    try bench.syncAll()
    try bench.insert(1, 1, [20, 21, 22], at: 1)
    try bench.insert(0, 1, [10, 11, 12], at: 1)
    try bench.append(1, 1, [30])
    try bench.append(0, 1, [31, 32])
    try bench.append(1, 1, [33])
    try bench.sync(0)
    try bench.syncAll()
    let list = bench.list(0, 1)
    #expect(list == bench.list(1, 1))
    #expect(list == [1, 20, 21, 22, 10, 11, 12, 2, 30, 33, 31, 32])
  }

  @Test("a moved element keeps a concurrent edit")
  func move() throws {
    var bench = try shared()
    try bench.append(0, 1, [1, 2, 3])
    try bench.syncAll()
    try bench.moveItem(0, 1, 0, to: 2)
    try bench.setItem(1, 1, 0, 9)
    try bench.syncAll()
    #expect(bench.list(0, 1) == [2, 3, 9])
    #expect(bench.list(1, 1) == [2, 3, 9])
  }

  @Test("a cleared list discards concurrent edits in it")
  func clearing() throws {
    var bench = try shared()
    try bench.append(0, 1, [1, 2])
    try bench.syncAll()
    try bench.set(0, 1, "list", .list)
    try bench.append(1, 1, [3])
    try bench.setItem(1, 1, 0, 9)
    try bench.syncAll()
    #expect(bench.list(0, 1) == [] && bench.list(1, 1) == [])
  }

  @Test("replacing an embedded object discards concurrent edits of the one replaced")
  func embedded() throws {
    var bench = try shared()
    try bench.embed(0, 1)
    try bench.syncAll()
    try bench.embed(0, 1)
    try bench.setInChild(1, 1, .int(7))
    try bench.syncAll()
    for device in 0..<2 { #expect(bench.valueInChild(device, 1) == nil) }
  }

  @Test("a refused object is named, the rest of its transaction is taken, newer writes stay")
  func refusal() throws {
    var bench = try shared()
    try bench.create(0, 2)
    try bench.set(0, 2, "a", .int(13))
    try bench.set(0, 1, "a", .int(1))
    try bench.sync(0)
    #expect(!bench.exists(0, 2) && !bench.isDirty(0))
    #expect(bench.refused.map(\.refusal.reason) == [.notAllowed])
    #expect(bench.refused.map(\.object.key) == [.int(2)])
    try bench.sync(1)
    #expect(bench.value(1, 1, "a") == .int(1))
    try bench.create(0, 2)
    try bench.set(0, 2, "a", .int(14))
    try bench.syncAll()
    #expect(bench.value(1, 2, "a") == .int(14))
  }
}

@Suite("what a refusal takes back") struct RefusalTests {
  @Test("is all that was written of the object: elements, moves and removals, too")
  func list() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.append(0, 1, [1, 2, 3])
    try bench.syncAll()
    try bench.removeItem(0, 1, 1)
    try bench.moveItem(0, 1, 0, to: 1)
    try bench.append(0, 1, [4])
    try bench.set(0, 1, "a", .int(13))
    try bench.syncAll()
    #expect(bench.refused.count == 1 && !bench.isDirty(0))
    #expect(bench.list(0, 1) == [1, 2, 3] && bench.list(1, 1) == [1, 2, 3])
  }
}

@Suite("what a client sees") struct ViewTests {
  @Test("changes with its subscriptions, which fetch and evict")
  func subscriptions() throws {
    var bench = try SyncBench(devices: 2)
    for key in Int64(0)..<4 {
      try bench.create(0, key)
      try bench.set(0, key, "owner", .int(key % 2))
    }
    try bench.syncAll()
    try bench.subscribe(1, "owner == 0")
    try bench.sync(1)
    #expect((0..<4).map { bench.exists(1, $0) } == [true, false, true, false])
    try bench.set(0, 1, "owner", .int(0))
    try bench.set(0, 2, "owner", .int(1))
    try bench.syncAll()
    #expect((0..<4).map { bench.exists(1, $0) } == [true, true, false, false])
    try bench.subscribe(1, "")
    try bench.sync(1)
    #expect((0..<4).allSatisfy { bench.exists(1, $0) })
  }

  @Test("changes with objects that a query reaches by links")
  func links() throws {
    var bench = try SyncBench(devices: 2)
    for key in Int64(0)..<2 {
      try bench.create(0, key)
      try bench.set(0, key, "owner", .int(0))
    }
    try bench.link(0, 0, to: 1)
    try bench.syncAll()
    try bench.subscribe(1, "link.owner == 1")
    try bench.sync(1)
    #expect(!bench.exists(1, 0))
    try bench.set(0, 1, "owner", .int(1))
    try bench.syncAll()
    #expect(bench.exists(1, 0) && !bench.exists(1, 1))
    try bench.set(0, 1, "owner", .int(0))
    try bench.syncAll()
    #expect(!bench.exists(1, 0))
  }

  @Test("changes with what the user may see; writes to what has left are kept")
  func roles() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.set(0, 1, "owner", .int(2))
    try bench.syncAll()
    try bench.set(1, 1, "a", .int(8))
    try bench.hide(owner: 2, from: 1)
    try bench.sync(1)
    #expect(!bench.exists(1, 1) && !bench.isDirty(1))
    try bench.sync(0)
    #expect(bench.value(0, 1, "a") == .int(8))
    try bench.hide(owner: nil, from: 1)
    try bench.sync(1)
    #expect(bench.value(1, 1, "a") == .int(8))
  }
}
