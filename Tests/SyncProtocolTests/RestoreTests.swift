import SyncLab
import SyncProtocol
import Testing

@Suite("a restored backup") struct RestoreTests {
  /// Two devices and a backup with item 1, of which the map has one key and the list one element.
  private func backedUp() throws -> SyncBench {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.set(0, 1, "a", .int(1))
    try bench.setKey(0, 1, "old", .int(1))
    try bench.append(0, 1, [1])
    try bench.syncAll()
    bench.backUp()
    return bench
  }

  @Test("gets objects back that it lacks, with what was written to them and not acknowledged")
  func objects() throws {
    var bench = try backedUp()
    try bench.create(0, 2)
    try bench.set(0, 2, "a", .int(2))
    try bench.append(0, 2, [1, 2, 3])
    try bench.syncAll()
    try bench.set(1, 2, "b", .string("not acknowledged"))
    try bench.removeItem(1, 2, 1)
    try bench.restore()
    try bench.sync(1)
    try bench.syncAll()
    for device in 0..<2 {
      #expect(bench.value(device, 2, "a") == .int(2))
      #expect(bench.value(device, 2, "b") == .string("not acknowledged"))
      #expect(bench.list(device, 2) == [1, 3])
    }
    #expect(!bench.isDirty(0) && !bench.isDirty(1))
  }

  @Test("gets keys, elements and containers back that it lacks of objects that it has")
  func cells() throws {
    var bench = try backedUp()
    try bench.setKey(0, 1, "new", .map)
    try bench.append(0, 1, [2, 3])
    try bench.syncAll()
    try bench.setNestedKey(1, 1, "new", "nested", .int(5))
    try bench.moveItem(1, 1, 2, to: 0)
    try bench.restore()
    try bench.sync(1)
    try bench.syncAll()
    for device in 0..<2 {
      #expect(bench.value(device, 1, atKey: "new", "nested") == .int(5))
      #expect(bench.list(device, 1) == [3, 1, 2])
    }
  }

  @Test("stands where it and the clients have something else that was acknowledged")
  func values() throws {
    var bench = try backedUp()
    try bench.set(0, 1, "a", .int(2))
    try bench.setKey(0, 1, "old", .absent)
    try bench.removeItem(0, 1, 0)
    try bench.syncAll()
    try bench.restore()
    try bench.syncAll()
    for device in 0..<2 {
      #expect(bench.value(device, 1, "a") == .int(1))
      #expect(bench.value(device, 1, atKey: "old") == .int(1))
      #expect(bench.list(device, 1) == [1])
    }
  }

  @Test("brings an object back whose deletion was acknowledged, not one whose was not")
  func deletions() throws {
    var bench = try backedUp()
    try bench.delete(0, 1)
    try bench.syncAll()
    try bench.restore()
    try bench.syncAll()
    #expect(bench.value(0, 1, "a") == .int(1) && bench.value(1, 1, "a") == .int(1))
    try bench.delete(1, 1)
    try bench.restore()
    try bench.syncAll()
    #expect(!bench.exists(0, 1) && !bench.exists(1, 1))
  }

  @Test("loses to what was written since, and what was deleted since is not given back")
  func later() throws {
    var bench = try backedUp()
    try bench.create(0, 2)
    try bench.set(0, 2, "a", .int(2))
    try bench.set(0, 2, "b", .string("kept"))
    try bench.create(0, 3)
    try bench.syncAll()
    try bench.restore()
    try bench.sync(0)
    try bench.set(0, 2, "a", .int(9))
    try bench.delete(0, 3)
    try bench.sync(0)
    try bench.sync(1)
    try bench.syncAll()
    for device in 0..<2 {
      #expect(bench.value(device, 2, "a") == .int(9))
      #expect(bench.value(device, 2, "b") == .string("kept"))
      #expect(!bench.exists(device, 3))
    }
  }
}

@Suite("a removal that the server has forgotten") struct HorizonTests {
  /// Device 0 removes a key while device 1, which was away for longer than marks are kept, has an
  /// older write of it.
  private func forgotten(_ value: CellValue) throws -> SyncBench {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.syncAll()
    try bench.setKey(1, 1, "key", value)
    if value == .map { try bench.setNestedKey(1, 1, "key", "nested", .int(1)) }
    try bench.setKey(0, 1, "key", .int(1))
    try bench.setKey(0, 1, "key", .absent)
    try bench.sync(0)
    try bench.trim(expiringAll: true)
    try bench.sync(1)
    try bench.syncAll()
    return bench
  }

  @Test("does not make an older write vanish; it counts as later for whatever comes after")
  func value() throws {
    var bench = try forgotten(.int(2))
    for device in 0..<2 { #expect(bench.value(device, 1, atKey: "key") == .int(2)) }
    try bench.setKey(0, 1, "key", .absent)
    try bench.syncAll()
    for device in 0..<2 { #expect(bench.value(device, 1, atKey: "key") == nil) }
  }

  @Test("does not make what was written into an older container vanish")
  func container() throws {
    var bench = try forgotten(.map)
    for device in 0..<2 { #expect(bench.value(device, 1, atKey: "key", "nested") == .int(1)) }
    try bench.setNestedKey(0, 1, "key", "nested", .int(3))
    try bench.syncAll()
    for device in 0..<2 { #expect(bench.value(device, 1, atKey: "key", "nested") == .int(3)) }
  }

  @Test("does not take an unsent deletion with it: nothing of before that is in what comes after")
  func unsentDeletion() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.syncAll()
    try bench.delete(1, 1)
    try bench.syncAll()
    try bench.create(1, 1)
    try bench.set(1, 1, "a", .int(1))
    try bench.sync(1)
    try bench.create(0, 1)
    try bench.set(0, 1, "owner", .int(9))
    try bench.delete(0, 1)
    try bench.create(0, 1)
    try bench.set(0, 1, "b", .string("kept"))
    try bench.trim(expiringAll: false)
    try bench.syncAll()
    for device in 0..<2 {
      #expect(bench.value(device, 1, "owner") == nil)
      #expect(bench.value(device, 1, "a") == .int(1))
      #expect(bench.value(device, 1, "b") == .string("kept"))
    }
  }

  @Test("is forgotten with client files that stay away; one that comes after all starts over")
  func removedFiles() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.create(0, 2)
    try bench.syncAll()
    try bench.set(1, 1, "a", .int(7))
    try bench.delete(0, 2)
    try bench.sync(0)
    try bench.trim(expiringAll: true)
    #expect(bench.server.files.count == 2)
    try bench.trim(expiringAll: true, removingExpired: true)
    #expect(bench.server.files.isEmpty)
    #expect(try bench.server.storage.clientFiles().isEmpty)
    try bench.syncAll()
    for device in 0..<2 {
      #expect(bench.value(device, 1, "a") == .int(7))
      #expect(!bench.exists(device, 2))
    }
  }
}
