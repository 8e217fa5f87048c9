import Platform
import Storage
import TestSupport
import Testing

/// A process died between the slot of its last commit and the flush, and a reader opened the file
/// first: it writes nothing, so what it found may not be on the disk yet.
@Suite struct ReaderFirstTests {
  private let bench: Bench

  init() throws {
    bench = try Bench()
    for _ in 0..<5 { try bench.commit() }
    // As a process leaves it that is killed.
    bench.system.install(bench.system.contents(of: "/a.realm"), at: "/b.realm")
  }

  private func open(
    _ durability: Durability = .full, readOnly: Bool = false
  ) throws -> Database {
    var options = bench.options
    options.durability = durability
    options.readOnly = readOnly
    return try Database.open(path: "/b.realm", options: options, system: bench.system)
  }

  @Test(arguments: [Durability.full, .strict, .grouped, .relaxed])
  func `a writer makes certain of what was found before it uses the space of the version before`(
    durability: Durability
  ) throws {
    let reader = try open(readOnly: true)
    #expect(reader.newestVersion == 6)
    #expect(reader.durableVersion == 0, "nobody has made certain of it")
    let writer = try open(durability)
    bench.system.forgetCalls()
    let transaction = try writer.beginWrite()
    #expect(bench.system.calls.contains(.fdatasync))
    #expect(writer.durableVersion == 6)
    try bench.check(try writer.pinNewest())
    transaction.cancel()
    bench.system.forgetCalls()
    try writer.beginWrite().cancel()
    #expect(!bench.system.calls.contains(.fdatasync), "once is enough")
  }

  @Test func `a flush makes certain of what was found, though nothing came after it`() throws {
    let reader = try open(readOnly: true)
    let writer = try open()
    bench.system.forgetCalls()
    try writer.flush()
    #expect(bench.system.calls.contains(.fdatasync))
    #expect(reader.durableVersion == 6)
  }

  @Test func `a writer that closes the file says that all is on disk after a flush only`() throws {
    let reader = try open(readOnly: true)
    var writer: Database? = try open()
    bench.system.forgetCalls()
    writer = nil
    let flush = bench.system.calls.firstIndex(of: .fdatasync)
    let mark = bench.system.calls.lastIndex(of: .write)
    #expect(writer == nil && flush != nil && mark != nil)
    if let flush, let mark { #expect(flush < mark) }
    withExtendedLifetime(reader) {}
  }

  @Test func `where that cannot be flushed no transaction begins, and the next one tries again`()
    throws
  {
    let reader = try open(readOnly: true)
    let writer = try open()
    var plan = FaultPlan()
    plan.failingCall = 0
    plan.kinds = [.fdatasync]
    bench.system.faults = plan
    #expect(throws: StorageError.self) { try writer.beginWrite() }
    bench.system.faults = FaultPlan()
    #expect(reader.durableVersion == 0)
    bench.system.forgetCalls()
    try writer.beginWrite().cancel()
    let first = try #require(bench.system.calls.firstIndex(of: .fdatasync))
    // What the commit wrote, and its slot.
    #expect(bench.system.calls[..<first].count { $0 == .write } >= 2)
    #expect(reader.durableVersion == 6)
  }

  @Test func `a file that was closed in order needs no flush`() throws {
    try open().beginWrite().cancel()
    let reader = try open(readOnly: true)
    #expect(reader.durableVersion == 6)
    let writer = try open()
    bench.system.forgetCalls()
    try writer.beginWrite().cancel()
    #expect(!bench.system.calls.contains(.fdatasync))
  }

  /// Another process may have made it since.
  @Test func `a reader that does not find the file is not taken for one that may not write`()
    throws
  {
    var plan = FaultPlan()
    plan.failingCall = 0
    plan.kinds = [.open]
    plan.code = ErrorNumber.noSuchFile
    bench.system.faults = plan
    #expect {
      try open(readOnly: true)
    } throws: { error in
      (error as? StorageError)?.code == .fileNotFound
    }
    bench.system.faults = FaultPlan()
    try open().beginWrite().cancel()
  }
}
