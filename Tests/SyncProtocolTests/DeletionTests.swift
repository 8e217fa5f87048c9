import SyncLab
import SyncProtocol
import Testing

/// A device deletes an object, and what has that number when the server hears of it is another one.
@Suite("a deletion") struct DeletionTests {
  /// Device 1 makes the server forget what was deleted so far, without waiting for device 0.
  private func forgetDeletions(_ bench: inout SyncBench) throws {
    for _ in 0..<3 {
      try bench.trim(expiringAll: true)
      try bench.sync(1)
      try bench.create(1, 99)
      try bench.sync(1)
      try bench.delete(1, 99)
      for _ in 0..<2 { try bench.sync(1) }
    }
  }

  @Test("by a device that had not heard what became of its creation ends no later object")
  func unansweredCreation() throws {
    for isSentFirst in [false, true] {
      var bench = try SyncBench(devices: 2)
      try bench.syncAll()
      try bench.create(0, 1)
      try bench.sync(0, losesAnswer: true)
      if !isSentFirst { try bench.delete(0, 1) }
      try bench.sync(1)
      try bench.delete(1, 1)
      try bench.sync(1)
      try forgetDeletions(&bench)
      try bench.create(1, 1)
      try bench.sync(1)
      if isSentFirst {
        try bench.sync(0, cutAfter: 0)
        try bench.delete(0, 1)
      }
      for device in [0, 1, 0] { try bench.sync(device) }
      for device in [0, 1] { #expect(bench.exists(device, 1), "sent first: \(isSentFirst)") }
    }
  }

  /// Device 0 has deleted an item that device 1 made, within a download that was cut.
  private func deletedWithinDownload() throws -> (bench: SyncBench, key: Int64) {
    var bench = try SyncBench(devices: 2)
    try bench.syncAll()
    for key in Int64(1)...4 { try bench.create(1, key) }
    try bench.sync(1)
    try bench.sync(0, cellsOfSlice: 2, cutAfter: 1)
    let key = try #require((Int64(1)...4).first { bench.exists(0, $0) })
    try bench.delete(0, key)
    bench.restart(0)
    return (bench, key)
  }

  @Test("within a download that is cut ends no object that was created since")
  func cutDownload() throws {
    var (bench, key) = try deletedWithinDownload()
    try bench.server.reload()
    try bench.delete(1, key)
    try bench.sync(1)
    try forgetDeletions(&bench)
    try bench.create(1, key)
    for device in [1, 0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, key)) }
  }

  @Test("within a download that is cut ends the object that came with it")
  func cutDownloadOfTheObject() throws {
    var (bench, key) = try deletedWithinDownload()
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(!bench.exists(device, key)) }
  }

  /// Device 1 makes an item anew, and so does device 0 while it is told of that; it has not sent
  /// it when it deletes it.
  @Test("of what was made by another device too, within a download, ends what both have made")
  func madeByBoth() throws {
    var bench = try SyncBench(devices: 2)
    for key in [Int64(2), 7] { try bench.create(1, key) }
    try bench.syncAll()
    for key in Int64(3)...6 { try bench.create(1, key) }
    try bench.sync(1)
    try bench.delete(1, 7)
    try bench.create(1, 7)
    try bench.sync(1)
    try bench.set(0, 2, "a", .int(1))
    let before = bench.slices
    try bench.sync(0, cellsOfSlice: 2, losesUpload: true) { bench throws(SyncError) in
      guard bench.slices == before + 1 else { return }
      try bench.delete(0, 7)
      try bench.create(0, 7)
    }
    #expect(bench.slices > before + 1)
    try bench.delete(0, 7)
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(!bench.exists(device, 7)) }
  }

  @Test("of what was given back to a restored server ends it, if the device has heard so or not")
  func givenBack() throws {
    var bench = try SyncBench(devices: 1)
    bench.backUp()
    try bench.create(0, 1)
    try bench.sync(0)
    try bench.restore()
    for _ in 0..<2 { try bench.sync(0, losesAnswer: true) }
    try bench.delete(0, 1)
    for _ in 0..<2 { try bench.sync(0) }
    #expect(!bench.exists(0, 1) && !bench.isDirty(0))
  }

  @Test("of what was given back before its creation was answered ends what others gave back")
  func givenBackUnanswered() throws {
    var bench = try SyncBench(devices: 2)
    try bench.syncAll()
    bench.backUp()
    try bench.create(0, 1)
    try bench.sync(0, losesAnswer: true)
    try bench.sync(1)
    try bench.restore()
    try bench.sync(0, losesUpload: true)
    try bench.sync(1)
    try bench.delete(0, 1)
    for device in [0, 1, 0, 1] { try bench.sync(device) }
    for device in [0, 1] { #expect(!bench.exists(device, 1)) }
  }

  /// Whether the server is restored before the deletion that device 1 makes, or not.
  @Test("of an earlier history ends nothing that was made in this one", arguments: [true, false])
  func restoredOnce(isRestored: Bool) throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.syncAll()
    bench.backUp()
    try bench.delete(0, 1)
    if isRestored { try bench.restore() }
    try bench.sync(0, losesUpload: true)
    for isDeletion in [true, false] {
      try bench.sync(1)
      if isDeletion { try bench.delete(1, 1) } else { try bench.create(1, 1) }
    }
    try bench.sync(1)
    try bench.sync(0, losesUpload: true)
    for device in [0, 1, 0, 1] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, 1)) }
  }

  @Test("of an own creation ends no later one, when a restored server says what became of it")
  func restoredCreation() throws {
    var bench = try SyncBench(devices: 2)
    try bench.syncAll()
    try bench.create(0, 1)
    try bench.sync(0, losesAnswer: true)
    try bench.sync(1)
    bench.backUp()
    try bench.restore()
    try bench.delete(1, 1)
    try bench.sync(1)
    try bench.create(1, 1)
    try bench.sync(1)
    try bench.delete(0, 1)
    for device in [0, 1, 0, 1] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, 1)) }
  }

  @Test("while what is unsynced is discarded ends nothing in the history after the next backup")
  func discarding() throws {
    var bench = try SyncBench(devices: 2)
    for key in Int64(1)...5 { try bench.create(1, key) }
    try bench.syncAll()
    bench.backUp()
    try bench.create(0, 9)
    try bench.sync(0)
    try bench.restore()
    for key in Int64(100)..<160 {
      try bench.create(1, key)
      try bench.sync(1)
    }
    try bench.sync(0, discardsUnsynced: true, cellsOfSlice: 2, cutAfter: 1)
    try bench.delete(0, 9)
    bench.restart(0)
    try bench.restore()
    try bench.sync(0, discardsUnsynced: true, losesUpload: true)
    try bench.sync(1)
    try bench.create(1, 9)
    try bench.sync(1)
    for device in [0, 1, 0, 1] { try bench.sync(device, discardsUnsynced: device == 0) }
    for device in [0, 1] { #expect(bench.exists(device, 9)) }
  }

  /// The rebase is of another history, or of the same one while what is unsynced is discarded; it
  /// goes on where it was cut, or starts over.
  @Test(
    "within a rebase ends nothing that was made since the device was told of the object",
    arguments: [true, false], [true, false])
  func withinRebase(isOtherHistory: Bool, isRestarted: Bool) throws {
    var bench = try SyncBench(devices: 2)
    for key in Int64(1)...8 { try bench.create(1, key) }
    try bench.syncAll()
    if isOtherHistory {
      bench.backUp()
      try bench.restore()
    } else {
      try forgetDeletions(&bench)
    }
    for key in Int64(1)...8 { try bench.set(1, key, "a", .int(7)) }
    try bench.sync(1)
    try bench.sync(0, discardsUnsynced: !isOtherHistory, cellsOfSlice: 2, cutAfter: 3)
    let key = try #require((Int64(1)...8).first { bench.value(0, $0, "a") == .int(7) })
    #expect((Int64(1)...8).contains { bench.value(0, $0, "a") != .int(7) })
    for device in [0, 1] { try bench.delete(device, key) }
    try bench.sync(1)
    try bench.create(1, key)
    try bench.sync(1)
    if isRestarted { bench.restart(0) }
    try bench.sync(0, discardsUnsynced: !isOtherHistory, cellsOfSlice: 2)
    for device in [0, 1, 0, 1] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, key)) }
  }

  @Test("of what was given back ends what others give back, also after one more rebase")
  func givenBackBeforeRebase() throws {
    var bench = try SyncBench(devices: 2)
    for key in Int64(2)...6 { try bench.create(1, key) }
    try bench.syncAll()
    bench.backUp()
    try bench.create(0, 1)
    try bench.sync(0)
    try bench.sync(1)
    try bench.restore()
    try bench.sync(0, losesUpload: true)
    try bench.delete(0, 1)
    try bench.noteNewClass(0)
    try bench.sync(0, losesUpload: true)
    for device in [1, 0, 1, 0, 1] { try bench.sync(device) }
    for device in [0, 1] { #expect(!bench.exists(device, 1)) }
  }

  @Test("in a file that began with a copy of another one ends what that had")
  func seeded() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(0, 1)
    try bench.syncAll()
    let seeded = try bench.seedFile(from: 1)
    try bench.delete(seeded, 1)
    for device in [seeded, 0, 1, seeded] { try bench.sync(device) }
    for device in [0, 1, seeded] { #expect(!bench.exists(device, 1)) }
  }

  @Test("of what a restored server never had does not keep a later object from being given back")
  func nothingKnown() throws {
    var bench = try SyncBench(devices: 2)
    try bench.syncAll()
    try bench.create(0, 1)
    try bench.sync(0, losesUpload: true)
    try bench.delete(0, 1)
    try bench.sync(0, losesAnswer: true)
    bench.backUp()
    try bench.create(0, 1)
    try bench.sync(0)
    try bench.restore()
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, 1)) }
  }

  @Test("of what was created by a device that has not heard so stays, in a restored server too")
  func forgottenBeforeBackup() throws {
    var bench = try SyncBench(devices: 2)
    try bench.syncAll()
    try bench.create(0, 1)
    try bench.sync(0, losesAnswer: true)
    try bench.sync(1)
    try bench.delete(1, 1)
    try bench.sync(1)
    try forgetDeletions(&bench)
    bench.backUp()
    try bench.restore()
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(!bench.exists(device, 1)) }
  }

  @Test("of another history ends nothing that was created in this one since the device heard of it")
  func otherHistory() throws {
    var bench = try SyncBench(devices: 2)
    try bench.syncAll()
    bench.backUp()
    for key in Int64(2)..<8 {
      try bench.create(1, key)
      try bench.sync(1)
    }
    try bench.create(0, 1)
    try bench.sync(0)
    try bench.delete(0, 1)
    try bench.restore()
    try bench.sync(0, cutAfter: 1)
    try bench.create(1, 1)
    for device in [1, 0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, 1)) }
  }
}
