import EngineLab
import Platform
import TestSupport
import Testing

@testable import Storage

/// How compaction gives space back while others write.
@Suite struct HolePunchTests {
  private static let keys: [EncryptionKey?] = [nil, .lab]

  /// Most of what is in the file is not needed any more, and that is on the disk.
  private func shrunken(
    _ durability: Durability, key: EncryptionKey? = nil
  ) throws -> (Bench, PunchWatch) {
    var watch: PunchWatch!
    let bench = try Bench(
      leafCount: 2000, wordsMax: 900, changesMax: 20, durability: durability, key: key
    ) {
      watch = PunchWatch($0)
      return watch
    }
    bench.system.recordsCalls = false
    try bench.commit()
    try bench.dropAllLeaves(butEvery: 10)
    try bench.database.flush()
    return (bench, watch)
  }

  @Test(arguments: [Durability.relaxed, .full], HolePunchTests.keys)
  func `others write while holes are punched, and not where`(
    durability: Durability, key: EncryptionKey?
  ) throws {
    let (bench, watch) = try shrunken(durability, key: key)
    unsafe watch.onPunch = {
      bench.noteUnchanged()
      // A flush in the background may have the writer role; compaction would have it every time.
      guard let transaction = try? bench.database.tryBeginWrite() else { return }
      transaction.cancel()
      for _ in 0..<8 { _ = try? bench.commit() }
    }
    for _ in 0..<12 { try bench.database.compactStep(force: true) }
    unsafe watch.onPunch = nil
    print("\(watch.punchCount) holes, \(watch.writesMeanwhile) writes meanwhile")
    #expect(watch.punchCount > 3)
    #expect(watch.writesMeanwhile > watch.punchCount)
    #expect(watch.writesIntoHoles == 0)
    bench.noteUnchanged()
    try bench.check(try bench.database.pinNewest())
    try bench.verify()
    try bench.open()
    try bench.check(try bench.database.pinNewest())
  }

  @Test func `what is cut off has no blocks any more`() throws {
    let (bench, watch) = try shrunken(.full)
    let before = bench.system.contents(of: "/a.realm").count
    _ = try bench.database.compact()
    bench.noteUnchanged()
    let after = bench.system.contents(of: "/a.realm").count
    print("\(before) bytes, then \(after); \(watch.cutPages) pages cut off")
    #expect(after < before / 4)
    #expect(watch.cutPages == 0)
    try bench.check(try bench.database.pinNewest())
    try bench.verify()
  }

  @Test func `where holes cannot be punched the end is cut off all the same`() throws {
    let (bench, watch) = try shrunken(.full)
    let before = bench.system.contents(of: "/a.realm").count
    watch.canPunch = false
    _ = try bench.database.compact()
    bench.noteUnchanged()
    #expect(bench.system.contents(of: "/a.realm").count < before / 4)
    try bench.verify()
  }

  @Test func `compaction comes to an end and makes no more versions or holes then`() throws {
    let (bench, watch) = try shrunken(.full)
    for _ in 0..<100 { try bench.database.compactStep() }
    let (versions, holes) = (bench.database.newestVersion, watch.punchCount)
    for _ in 0..<10 { try bench.database.compactStep() }
    print("\(holes) holes in \(versions) versions")
    #expect(holes > 0)
    #expect(watch.punchCount == holes)
    #expect(bench.database.newestVersion == versions)
    bench.noteUnchanged()
    try bench.verify()
  }

  @Test(arguments: 1...4)
  func `what has been given back is known unit by unit`(seed: UInt64) {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var returned = ReturnedRuns()
    var model = [Bool](repeating: false, count: 300)
    for _ in 0..<2000 {
      let start = random.below(280)
      let run = Region.Run(start: UInt32(start), length: UInt32(1 + random.below(20)))
      let units = start..<Int(run.end)
      let isReturned = random.below(2) == 0
      if isReturned { returned.insert(3, run) } else { returned.forget(3, run) }
      for unit in units { model[unit] = isReturned }
      let whole = Region.Run(start: 0, length: 300)
      #expect(returned.unreturned(3, run) == (isReturned ? 0 : Int(run.length)))
      #expect(returned.unreturned(3, whole) == model.count { !$0 })
      #expect(returned.unreturned(4, run) == Int(run.length))
    }
  }
}

/// Knows which pages of a file have blocks, and what happens while a hole is punched.
private final class PunchWatch: ForwardingSystem {
  struct State {
    var hole: Range<UInt64>?
    var punchCount = 0
    var writesMeanwhile = 0
    var writesIntoHoles = 0
    var pages: Set<UInt64> = []
    var cutPages = 0
    var canPunch = true
  }

  let real: any System
  let state = LockedValue(State())
  /// Called while a hole is punched.
  nonisolated(unsafe) var onPunch: (() -> Void)?  // Set and called on the thread of the test.

  init(_ real: any System) { self.real = real }

  var punchCount: Int { state.withLock { $0.punchCount } }
  var writesMeanwhile: Int { state.withLock { $0.writesMeanwhile } }
  var writesIntoHoles: Int { state.withLock { $0.writesIntoHoles } }
  /// Pages with blocks that were cut off.
  var cutPages: Int { state.withLock { $0.cutPages } }
  var canPunch: Bool {
    get { state.withLock { $0.canPunch } }
    set { state.withLock { $0.canPunch = newValue } }
  }

  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    let file = try real.openFile(path: path, mode: mode)
    return path == "/a.realm" ? PunchWatchFile(real: file, system: self) : file
  }
}

private final class PunchWatchFile: ForwardingFile {
  let real: any SystemFile
  private let system: PunchWatch

  init(real: any SystemFile, system: PunchWatch) {
    self.real = real
    self.system = system
  }

  private func pages(_ range: Range<UInt64>) -> Range<UInt64> {
    range.lowerBound / 4096..<(range.upperBound + 4095) / 4096
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    let range = offset..<offset + UInt64(bytes.count)
    system.state.withLock { state in
      state.pages.formUnion(pages(range))
      guard let hole = state.hole else { return }
      state.writesMeanwhile += 1
      if hole.overlaps(range) { state.writesIntoHoles += 1 }
    }
    try unsafe real.write(bytes, at: offset)
  }

  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    system.state.withLock { $0.pages.formUnion(pages(offset..<offset + length)) }
    try real.allocate(offset: offset, length: length)
  }

  func punchHole(offset: UInt64, length: UInt64) throws(SystemError) {
    guard system.canPunch else {
      throw SystemError(call: .punchHole, path: path, code: 95)
    }
    let range = offset..<offset + length
    system.state.withLock { state in
      state.hole = range
      state.punchCount += 1
      state.pages.subtract((offset + 4095) / 4096..<(offset + length) / 4096)
    }
    unsafe system.onPunch?()
    system.state.withLock { $0.hole = nil }
    try real.punchHole(offset: offset, length: length)
  }

  func truncate(to size: UInt64) throws(SystemError) {
    system.state.withLock { state in
      let beyond = state.pages.filter { $0 >= (size + 4095) / 4096 }
      state.cutPages += beyond.count
      state.pages.subtract(beyond)
    }
    try real.truncate(to: size)
  }
}
