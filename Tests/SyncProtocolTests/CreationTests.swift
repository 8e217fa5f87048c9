import SyncLab
import SyncProtocol
import Testing

/// A device creates an object, and does not know what becomes of it, or of others with its key.
@Suite("a creation") struct CreationTests {
  /// Two devices, of which the first has created item 1, and does not know that the server has it.
  private func unanswered() throws -> SyncBench {
    var bench = try SyncBench(devices: 2)
    try bench.syncAll()
    try bench.create(0, 1)
    try bench.sync(0, losesAnswer: true)
    try bench.sync(1)
    #expect(bench.exists(0, 1) && bench.exists(1, 1))
    return bench
  }

  @Test(
    "that arrived, and was deleted before the device heard of it, stays deleted, written to or not",
    arguments: [false, true])
  func deletionWins(isWrittenTo: Bool) throws {
    var bench = try unanswered()
    try bench.delete(1, 1)
    try bench.sync(1)
    if isWrittenTo { try bench.set(0, 1, "owner", .int(7)) }
    for device in [0, 1, 0] { try bench.sync(device) }
    #expect(!bench.exists(0, 1) && !bench.exists(1, 1))
    #expect(!bench.isDirty(0))
  }

  @Test("that arrived is not part of what another device has created after deleting it")
  func anotherCreation() throws {
    var bench = try unanswered()
    try bench.set(0, 1, "owner", .int(7))
    try bench.delete(1, 1)
    try bench.create(1, 1)
    try bench.sync(1)
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, 1)) }
    for device in [0, 1] { #expect(bench.value(device, 1, "owner") != .int(7)) }
  }

  @Test("after a deletion that the device made itself is not the one that arrived before")
  func anotherOne() throws {
    var bench = try unanswered()
    try bench.delete(1, 1)
    try bench.create(1, 1)
    try bench.delete(1, 1)
    try bench.sync(1)
    try bench.delete(0, 1)
    try bench.create(0, 1)
    try bench.set(0, 1, "owner", .int(9))
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.value(device, 1, "owner") == .int(9)) }
  }

  @Test("that comes when the object has been deleted is another object, which stays")
  func afterDeletion() throws {
    var bench = try SyncBench(devices: 3)
    try bench.create(1, 1)
    try bench.sync(1)
    try bench.delete(1, 1)
    try bench.sync(1)
    try bench.create(0, 1)
    try bench.set(0, 1, "owner", .int(7))
    try bench.sync(0, losesAnswer: true)
    for device in [0, 1, 0, 2] { try bench.sync(device) }
    for device in 0..<3 { #expect(bench.value(device, 1, "owner") == .int(7)) }
  }

  @Test("that comes as the device has deleted what it had created before ends that one")
  func afterItsOwn() throws {
    var bench = try unanswered()
    try bench.set(0, 1, "owner", .int(7))
    try bench.sync(0, losesAnswer: true)
    try bench.delete(0, 1)
    try bench.create(0, 1)
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] {
      #expect(bench.exists(device, 1) && bench.value(device, 1, "owner") != .int(7))
    }
  }

  @Test("that was never sent, and deleted, leaves what another device has created as it is")
  func neverSent() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(1, 1)
    try bench.sync(1)
    try bench.create(0, 1)
    try bench.delete(0, 1)
    #expect(!bench.isDirty(0))
    for device in [0, 1] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, 1)) }
  }

  @Test("that has not arrived, and was deleted, leaves what another device has created as it is")
  func neverArrived() throws {
    var bench = try SyncBench(devices: 2)
    try bench.syncAll()
    try bench.create(0, 1)
    try bench.sync(0, losesUpload: true)
    try bench.delete(0, 1)
    try bench.create(1, 1)
    try bench.sync(1)
    for device in [0, 1] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, 1)) }
    #expect(!bench.isDirty(0))
  }

  @Test("after one that was deleted while the device heard of it in part is another object")
  func afterAnEviction() throws {
    var bench = try SyncBench(devices: 2)
    try bench.subscribe(0, "owner == 1")
    try bench.syncAll()
    try bench.create(0, 1)
    try bench.set(0, 1, "owner", .int(1))
    try bench.sync(0, losesAnswer: true)
    try bench.sync(1)
    try bench.set(1, 1, "owner", .int(2))
    for key in Int64(2)..<12 {
      try bench.create(1, key)
      try bench.set(1, key, "owner", .int(1))
    }
    try bench.sync(1)
    try bench.sync(0, cellsOfSlice: 2, cutAfter: 1)
    #expect(!bench.exists(0, 1))
    try bench.delete(1, 1)
    try bench.sync(1)
    try bench.create(0, 1)
    try bench.set(0, 1, "owner", .int(1))
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, 1)) }
  }

  @Test("that follows a deletion of which the server forgets the mark stays")
  func afterForgottenDeletion() throws {
    var bench = try SyncBench(devices: 3)
    try bench.subscribe(2, "owner == 7")
    try bench.create(1, 1)
    try bench.syncAll()
    try bench.delete(1, 1)
    try bench.syncAll()
    try bench.create(2, 1)
    try bench.set(2, 1, "owner", .int(7))
    try bench.sync(2, losesAnswer: true)
    for _ in 0..<2 { for device in 0..<2 { try bench.sync(device) } }
    for _ in 0..<2 { try bench.trim(expiringAll: false) }
    for device in [2, 1, 0] { try bench.sync(device) }
    for device in 0..<3 { #expect(bench.value(device, 1, "owner") == .int(7)) }
  }

  /// Two devices, of which the first has created item 1, does not know that the server has it, and
  /// sends no more of that for now, but another item.
  private func leftOut() throws -> SyncBench {
    var bench = try SyncBench(devices: 2)
    try bench.syncAll()
    try bench.create(0, 1)
    try bench.sync(0, losesAnswer: true)
    try bench.append(0, 1, [1, 2, 3])
    bench.limitChanges(of: 0, to: 100)
    try bench.create(0, 2)
    return bench
  }

  private func checkDeletion(_ bench: inout SyncBench) throws {
    try bench.sync(1)
    try bench.delete(1, 1)
    try bench.sync(1)
    bench.limitChanges(of: 0, to: .max)
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(!bench.exists(device, 1) && bench.exists(device, 2)) }
    #expect(!bench.isDirty(0))
  }

  @Test("that arrived, and is deleted after a batch without it is answered, stays deleted")
  func answeredByAnother() throws {
    var bench = try leftOut()
    try bench.sync(0)
    try checkDeletion(&bench)
  }

  @Test("that arrived, and is deleted after a batch without it was lost, stays deleted")
  func anotherLost() throws {
    var bench = try leftOut()
    try bench.sync(0, losesUpload: true)
    try checkDeletion(&bench)
  }

  @Test("after a deletion that is forgotten while it is on its way ends with its own deletion")
  func floorCrossing() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(1, 1)
    try bench.syncAll()
    try bench.delete(1, 1)
    try bench.syncAll()
    try bench.create(0, 1)
    try bench.sync(0, losesAnswer: true)
    try bench.sync(1)
    try bench.trim(expiringAll: false)
    try bench.sync(0, cutAfter: 1)
    try bench.delete(1, 1)
    try bench.sync(1)
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(!bench.exists(device, 1)) }
    #expect(!bench.isDirty(0))
  }

  /// The first device deletes item 1 and creates it anew, too large to be sent.
  private func recreate(_ bench: inout SyncBench) throws {
    try bench.delete(0, 1)
    try bench.create(0, 1)
    try bench.append(0, 1, Array(0..<50))
    bench.limitChanges(of: 0, to: 300)
  }

  /// The second device deletes item 1, and when that is forgotten creates another one.
  private func replace(_ bench: inout SyncBench) throws {
    try bench.delete(1, 1)
    for device in [1, 0] { try bench.sync(device) }
    for _ in 0..<3 {
      try bench.create(1, 2)
      try bench.syncAll()
      try bench.delete(1, 2)
      try bench.syncAll()
      try bench.trim(expiringAll: false)
    }
    try bench.create(1, 1)
  }

  @Test("that waits ends nothing that is made after its own deletion was forgotten")
  func forgottenDeletion() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(1, 1)
    for device in [1, 0] { try bench.sync(device) }
    try recreate(&bench)
    try bench.sync(0)
    try replace(&bench)
    try bench.set(1, 1, "owner", .int(9))
    for device in [1, 0, 1] { try bench.sync(device) }
    bench.limitChanges(of: 0, to: .max)
    for device in [0, 1] { try bench.sync(device) }
    for device in [0, 1] {
      #expect(bench.value(device, 1, "owner") == .int(9) && bench.list(device, 1).count == 50)
    }
  }

  @Test("that waits, out of view, ends nothing that is made after its own deletion was forgotten")
  func forgottenOutOfView() throws {
    var bench = try SyncBench(devices: 2)
    try bench.subscribe(0, "owner == 1")
    try bench.create(1, 1)
    try bench.set(1, 1, "owner", .int(1))
    for device in [1, 0] { try bench.sync(device) }
    try recreate(&bench)
    try bench.set(1, 1, "owner", .int(2))
    for device in [1, 0] { try bench.sync(device) }
    try replace(&bench)
    try bench.set(1, 1, "a", .int(9))
    for device in [1, 0] { try bench.sync(device) }
    bench.limitChanges(of: 0, to: .max)
    for device in [0, 1] { try bench.sync(device) }
    #expect(bench.value(1, 1, "a") == .int(9) && bench.list(1, 1).count == 50)
  }

  @Test("that an expired device has not seen is not ended by its deletion of one before")
  func deletedBeforeExpiry() throws {
    var bench = try SyncBench(devices: 3)
    try bench.create(1, 1)
    try bench.syncAll()
    try bench.delete(2, 1)
    try bench.delete(1, 1)
    for device in [1, 0] { try bench.sync(device) }
    for _ in 0..<3 {
      try bench.trim(expiringAll: true)
      for device in [1, 0, 1, 0] { try bench.sync(device) }
    }
    try bench.create(1, 1)
    for device in [1, 2, 1, 2] { try bench.sync(device) }
    for device in 0..<2 { #expect(bench.exists(device + 1, 1)) }
  }

  @Test("that follows a deletion that was refused does not carry that out")
  func refusedDeletion() throws {
    var bench = try SyncBench(devices: 2)
    try bench.create(1, 1)
    try bench.set(1, 1, "owner", .int(1))
    try bench.set(1, 1, "b", .string("kept"))
    for device in [1, 0] { try bench.sync(device) }
    try bench.hide(owner: 1, from: 0)
    bench.server.storage.locksHidden = true
    try bench.delete(0, 1)
    try bench.sync(0, losesAnswer: true)
    try bench.create(0, 1)
    try bench.sync(0, losesUpload: true)
    bench.server.storage.locksHidden = false
    try bench.hide(owner: nil, from: 0)
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.value(device, 1, "b") == .string("kept")) }
  }

  @Test("that never arrived, and was deleted, ends nothing of another history either")
  func otherHistory() throws {
    var bench = try SyncBench(devices: 2)
    try bench.syncAll()
    try bench.create(0, 1)
    try bench.sync(0, losesUpload: true)
    try bench.delete(0, 1)
    try bench.create(1, 1)
    try bench.sync(1)
    bench.backUp()
    try bench.restore()
    for device in [0, 1, 0] { try bench.sync(device) }
    for device in [0, 1] { #expect(bench.exists(device, 1)) }
  }

  @Test("of a copy of the file that was sent before the copy was made stays deleted")
  func copied() throws {
    var bench = try unanswered()
    let copy = bench.copyFile(of: 0)
    for key in Int64(2)..<4 {
      try bench.create(0, key)
      try bench.sync(0, losesAnswer: true)
    }
    try bench.sync(1)
    try bench.delete(1, 1)
    try bench.sync(1)
    for device in [copy, 1, copy] { try bench.sync(device) }
    for device in [copy, 1] { #expect(!bench.exists(device, 1)) }
  }
}
