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
