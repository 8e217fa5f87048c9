import EngineLab
import Foundation
import Platform
import Storage
import TestSupport
import Testing

@Suite struct CopyTests {
  @Test func `a copy holds the version, is sound, and can be written to`() throws {
    let bench = try Bench(leafCount: 40, wordsMax: 300)
    for _ in 0..<12 { try bench.commit() }
    let snapshot = try bench.database.pinNewest()
    let copied = try bench.database.writeCompactCopy(to: "/copy.realm")
    #expect(copied > 0)
    #expect(!bench.system.fileExists(path: "/copy.realm.lock"))
    let copy = try Database.open(path: "/copy.realm", options: bench.options, system: bench.system)
    let report = try copy.verify()
    #expect(report.findings == [])
    #expect(report.liveBytes < report.logicalSize)
    let copied1 = try copy.pinNewest()
    let difference = try bench.model.mismatch(
      in: copied1, leaves: bench.leaves[snapshot.version]!)
    #expect(difference == nil)
    let transaction = try copy.beginWrite()
    try bench.model.apply(to: transaction)
    _ = try transaction.commit()
    #expect(try copy.verify().isSound)
  }

  @Test func `a copy onto a file is refused and the file stays`() throws {
    let bench = try Bench()
    bench.system.install([1, 2, 3], at: "/copy.realm")
    #expect {
      try bench.database.writeCompactCopy(to: "/copy.realm")
    } throws: { ($0 as? StorageError)?.code == .fileExists }
    #expect(bench.system.contents(of: "/copy.realm") == [1, 2, 3])
  }

  /// Each call of the copying fails in turn: then there is no file, or a whole one.
  @Test func `a copy whose calls fail leaves nothing`() throws {
    let bench = try Bench(leafCount: 20, wordsMax: 100)
    for _ in 0..<4 { try bench.commit() }
    var call = 0
    while true {
      var plan = FaultPlan()
      plan.failingCall = call
      plan.code = ErrorNumber.noSpace
      bench.system.faults = plan
      var thrown: (any Error)?
      do { _ = try bench.database.writeCompactCopy(to: "/copy.realm") } catch { thrown = error }
      let fired = bench.system.faults.fired
      bench.system.faults = FaultPlan()
      if fired == 0 { break }
      #expect((thrown as? StorageError)?.code == .outOfDiskSpace, "call \(call)")
      if bench.system.fileExists(path: "/copy.realm") {
        // Its name could not be flushed.
        let copy = try Database.open(
          path: "/copy.realm", options: bench.options, system: bench.system)
        #expect(try copy.verify().isSound)
        try bench.system.removeFile(path: "/copy.realm")
      }
      call += 1
    }
    #expect(call > 4)
    #expect(bench.system.fileExists(path: "/copy.realm"))
  }

  /// 128 MB are copied with no more than 40 MB of private memory.
  @Test func `memory for a copy does not grow with the data`() async {
    await #expect(processExitsWith: .success) {
      let directory = FileManager.default.temporaryDirectory.path
      let path = "\(directory)/copy-\(ProcessInfo.processInfo.processIdentifier).realm"
      defer {
        for name in [path, path + ".lock", path + ".copy"] {
          try? FileManager.default.removeItem(atPath: name)
        }
      }
      var options = DatabaseOptions()
      options.durability = .relaxed
      options.compactsInBackground = false
      let database = try Database.open(path: path, options: options)
      try CopyTests.fill(database, megabytes: 128)
      MemoryLimit.allowPrivateMemory(more: 40 << 20)
      let copied = try database.writeCompactCopy(to: path + ".copy")
      precondition(copied > 128 << 20)
    }
  }

  private static func fill(_ database: Database, megabytes: Int) throws {
    let leaf = NodeKind(rawValue: 201)
    for _ in 0..<megabytes / 4 {
      let transaction = try database.beginWrite()
      let node = transaction.writer.make(kind: leaf, referenceCount: 65)
      node.setReference(64, transaction.root)
      for index in 0..<64 {
        let child = transaction.writer.make(kind: leaf, dataSize: 1 << 16)
        node.setReference(index, child.reference)
      }
      transaction.root = node.reference
      _ = try transaction.commit()
    }
  }
}
