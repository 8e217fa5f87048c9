import EngineLab
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct VerifyTests {
  private static let kind = NodeKind(rawValue: 201)

  /// 2 to the 60 ways lead from the root to the lowest node.
  @Test(.timeLimit(.minutes(1)))
  func `a tree whose nodes are shared is refused, soon`() throws {
    let bench = try Bench()
    for _ in 0..<60 {
      let transaction = try bench.database.beginWrite()
      let node = transaction.writer.make(kind: Self.kind, referenceCount: 2, dataSize: 32)
      node.setReference(0, transaction.root)
      node.setReference(1, transaction.root)
      transaction.root = node.reference
      _ = try transaction.commit()
    }
    let report = try bench.database.verify()
    #expect(report.findings.contains { $0.message.contains("shared") })
    #expect(report.findings.contains { $0.message.contains("overlaps") })
    #expect(throws: StorageError.self) {
      try bench.database.writeCompactCopy(to: "/copy.realm")
    }
    let transaction = try bench.database.beginWrite()
    #expect(throws: StorageError.self) { try transaction.writer.releaseTree(transaction.root) }
    transaction.cancel()
  }

  @Test func `every pinned version is pinned by the one who verifies as well`() throws {
    let bench = try Bench(leafCount: 30, wordsMax: 200)
    try bench.commit()
    let first = try bench.database.pinNewest()
    for _ in 0..<5 { try bench.commit() }
    let second = try bench.database.pinNewest()
    for _ in 0..<5 { try bench.commit() }
    let versions = try bench.database.pinEveryVersion()
    #expect(
      versions.map(\.version) == [first.version, second.version, bench.database.newestVersion])
    first.release()
    second.release()
    for _ in 0..<30 { try bench.commit() }
    for snapshot in versions {
      let difference = try bench.model.mismatch(
        in: snapshot, leaves: bench.leaves[snapshot.version]!)
      #expect(difference == nil)
    }
    var told: [VerifyProgress] = []
    let report = try bench.database.verify(try bench.database.pinEveryVersion()) { told.append($0) }
    #expect(report.findings == [])
    #expect(report.versions.count == 4)
    #expect(told.map(\.versionNumber) == [4, 1, 2, 3])
    for snapshot in versions { snapshot.release() }
    #expect(try bench.database.verify().versions == [bench.database.newestVersion])
  }

  /// What two parts of a file lack or both have is named with its place, as before.
  @Test func `a node that is missing from the free space and the tree is found at its place`()
    throws
  {
    let bench = try Bench(leafCount: 30, wordsMax: 200)
    for _ in 0..<6 { try bench.commit() }
    var file = HostileFile(bench.system.contents(of: "/a.realm"))
    let leaf = try #require(file.nodes.first { file.kind($0) == LeafModel.leafKind })
    let place = leaf.offset
    let size = file.size(leaf)
    file.cut(leaf)
    let system = SimulatedSystem()
    system.install(file.bytes, at: "/a.realm")
    let database = try Database.open(path: "/a.realm", options: bench.options, system: system)
    let report = try database.verify()
    #expect(
      report.findings.contains {
        $0.offset == UInt64(place) && $0.message == "\(size) bytes are neither live nor free"
      })
  }

  /// 700,000 nodes are verified with no more than 32 MB of private memory.
  @Test func `memory for a verification does not grow with the number of nodes`() async {
    await #expect(processExitsWith: .success) {
      let directory = FileManager.default.temporaryDirectory.path
      let path = "\(directory)/verify-\(ProcessInfo.processInfo.processIdentifier).realm"
      defer {
        for name in [path, path + ".lock"] { try? FileManager.default.removeItem(atPath: name) }
      }
      var options = DatabaseOptions()
      options.durability = .relaxed
      options.compactsInBackground = false
      let database = try Database.open(path: path, options: options)
      for _ in 0..<28 {
        let transaction = try database.beginWrite()
        let node = transaction.writer.make(kind: VerifyTests.kind, referenceCount: 25_001)
        node.setReference(25_000, transaction.root)
        for index in 0..<25_000 {
          let child = transaction.writer.make(kind: VerifyTests.kind, dataSize: 64)
          node.setReference(index, child.reference)
        }
        transaction.root = node.reference
        _ = try transaction.commit()
      }
      let pinned = try database.pinNewest()
      _ = try database.beginWrite().commit(history: [1])
      MemoryLimit.allowPrivateMemory(more: 32 << 20)
      let report = try database.verify()
      precondition(report.isSound && report.nodeCount > 700_000)
      // A flush in the background may have pinned one more.
      precondition(report.versions.count >= 2)
      pinned.release()
    }
  }
}
