import SyncLab
import SyncProtocol
import Testing

/// In discard mode a reset takes what the device has not sent.
@Suite("a device that is to start over") struct StartingOverTests {
  /// A device with item 1, and another one with more.
  private func away() throws -> SyncBench {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.syncAll()
    for key in Int64(2)..<10 { try bench.create(0, key) }
    try bench.sync(0)
    return bench
  }

  /// Nine items, of which the second device has heard nothing.
  private func begun() throws -> SyncBench {
    var bench = try SyncBench(devices: 2)
    for key in Int64(1)..<10 { try bench.create(0, key) }
    try bench.sync(0)
    return bench
  }

  /// The second device keeps what it wrote, and hears of a deletion.
  private func checkKept(_ bench: inout SyncBench, without key: Int64) throws {
    try bench.sync(1, discardsUnsynced: true)
    #expect(bench.resets.isEmpty)
    try bench.syncAll()
    #expect(bench.exists(0, 100) && !bench.exists(1, key))
  }

  private func goOn(_ bench: inout SyncBench, deleting key: Int64) throws {
    try bench.delete(0, key)
    try bench.create(0, key + 100)
    for _ in 0..<2 { try bench.sync(0) }
  }

  /// The second device writes within a download, and is not waited for when item 1 is deleted.
  private func expireWithinDownload(_ bench: inout SyncBench) throws {
    try bench.sync(1, cellsOfSlice: 2, cutAfter: 1)
    bench.restart(1)
    try bench.create(1, 100)
    try goOn(&bench, deleting: 1)
    try bench.trim(expiringAll: true)
    for _ in 0..<2 { try bench.sync(0) }
  }

  @Test("and has not come so far keeps what it wrote: nothing of since is forgotten meanwhile")
  func keptForIt() throws {
    var bench = try away()
    try bench.sync(1, cutAfter: 1)
    try bench.create(1, 100)
    try bench.server.reload()
    bench.restart(1)
    try bench.sync(1, cutAfter: 0)
    bench.restart(1)
    try bench.sync(1, cutAfter: 0)
    try goOn(&bench, deleting: 2)
    try bench.trim(expiringAll: false)
    bench.restart(1)
    try checkKept(&bench, without: 2)
  }

  @Test("within a download, and was away for too long, is reset as any other")
  func expired() throws {
    var bench = try away()
    try expireWithinDownload(&bench)
    try bench.trim(expiringAll: false)
    try bench.sync(1, discardsUnsynced: true)
    #expect(bench.resets.count == 1)
    try bench.syncAll()
    #expect(!bench.exists(0, 100) && !bench.exists(0, 1) && !bench.exists(1, 1))
  }

  @Test("within its first download is not reset")
  func first() throws {
    var bench = try begun()
    try expireWithinDownload(&bench)
    try checkKept(&bench, without: 1)
  }

  @Test("as the end of its first download was not confirmed loses nothing that was not away")
  func unconfirmed() throws {
    var bench = try begun()
    try bench.sync(1, cutAfter: 1)
    try bench.server.reload()
    bench.restart(1)
    try bench.create(1, 100)
    try bench.sync(1, cutAfter: 0)
    bench.restart(1)
    try bench.server.reload()
    try goOn(&bench, deleting: 2)
    try bench.trim(expiringAll: false)
    try checkKept(&bench, without: 2)
  }

  @Test("and had missed what was forgotten keeps nothing from being forgotten")
  func floorRises() throws {
    var bench = try away()
    try bench.sync(1)
    try goOn(&bench, deleting: 1)
    try bench.trim(expiringAll: true)
    for _ in 0..<2 { try bench.sync(0) }
    try bench.trim(expiringAll: false)
    let floor = bench.server.head.floor
    try bench.sync(1, cutAfter: 0)
    // And does not come again soon.
    try bench.server.reload()
    try goOn(&bench, deleting: 2)
    try bench.trim(expiringAll: false)
    #expect(bench.server.head.floor > floor)
  }
}
