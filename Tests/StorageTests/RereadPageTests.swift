import EngineLab
import Platform
import Testing

@testable import Storage

/// A flush has failed in a process that was killed before it could say so, and the kernel reads
/// pages from the disk again as they were before, under those who have them mapped.
@Suite struct RereadPageTests {
  /// The tag of a node may be 0, as the checksum of a page of zeros is.
  @Test func `a page of zeros is not taken for a node that has been verified`() throws {
    let verified = try VerifiedNodes(length: 1 << 16)
    defer { verified.release() }
    verified.mark(16384, createdIn: 7)
    #expect(verified.contains(16384, createdIn: 7))
    #expect(verified.contains(16384, createdIn: 1))
    #expect(!verified.contains(16384, createdIn: 0))
    #expect(!verified.contains(16384, createdIn: 8))
  }

  @Test func `a page of zeros is not taken for a node that need not be written again`() throws {
    let bench = try Bench()
    let snapshot = try bench.commit()
    let free = snapshot.logicalSize - 4096
    let zeros = NodeReference(rawValue: free)
    #expect(zeros.offset == free && zeros.checksumTag == 0)
    #expect(!snapshot.source.isOlder(zeros, than: snapshot.version))
  }

  /// Its last operations would be missing in all later versions: space would be used twice.
  @Test func `what a commit takes over from the log of free space is as it was read`() throws {
    let bench = try Bench(durability: .relaxed)
    for _ in 0..<3 { try bench.commit() }
    let tail = try lastOperation(of: try bench.database.pinNewest())
    let old = [UInt8](repeating: 0, count: tail.count)[...]
    bench.system.readAgain(old, at: tail.lowerBound, of: "/a.realm")
    let error = #expect(throws: StorageError.self) { try bench.commit() }
    #expect(error?.code == .corrupt)
    #expect(bench.database.newestVersion == 4)
  }

  /// The chunks of a log are merged into one when there are many, in a file of some size.
  @Test func `a part of the log that is merged with others is as it was written`() throws {
    let bench = try Bench(leafCount: 500, wordsMax: 8000, durability: .relaxed)
    bench.options.mappingReservation = 1 << 30
    try bench.open()
    for _ in 0..<300 { try bench.commit() }
    for _ in 0..<200 {
      let snapshot = try bench.database.pinNewest()
      let chunks = try FreeSpaceIndex(snapshot.freeSpace, snapshot.source).chunks
      let newest = try #require(chunks.last)
      let size = newest.count * SpaceOperation.byteSize
      let place = Int(newest.reference.offset) + NodeLayout.headerSize + size / 2
      let contents = bench.system.contents(of: "/a.realm")[place..<place + size / 2]
      let zeros = [UInt8](repeating: 0, count: size / 2)[...]
      bench.system.readAgain(zeros, at: place, of: "/a.realm")
      do {
        let next = try bench.commit()
        let left = try FreeSpaceIndex(next.freeSpace, next.source).chunks.map(\.reference)
        try #require(left.contains(newest.reference), "merged as it was read again")
      } catch let error as StorageError {
        #expect(error.code == .corrupt)
        return
      }
      bench.system.readAgain(contents, at: place, of: "/a.realm")
    }
    Issue.record("no chunks were merged")
  }

  /// Where the newest operation is that the version's index of free space holds.
  private func lastOperation(of snapshot: Snapshot) throws -> Range<Int> {
    let reference = snapshot.freeSpace
    let node = try snapshot.source.node(reference)
    #expect(node.count > 0)
    let first = Int(reference.offset) + node.byteSize - node.dataSize
    let index = try FreeSpaceIndex(reference, snapshot.source)
    let end =
      first + FreeSpaceIndex.headerSize + index.chunkCount * FreeSpaceIndex.chunkSize
      + index.tailCount * SpaceOperation.byteSize
    return end - SpaceOperation.byteSize..<end
  }
}
