import Testing

@testable import Storage

@Suite struct FreeSpaceLogTests {
  /// A commit of compaction may cut the end of the file off, and then have to grow it there for
  /// what it records about itself. Another process replays the log and has to find the same state.
  @Test(arguments: [0, 1])
  func `a commit that grows and cuts the file is replayed in that order`(grownBefore: Int) throws {
    let bench = try Bench()
    let transaction = try bench.database.beginWrite()
    defer { transaction.cancel() }
    var before = FreeSpace()
    before.putBack(Extent(offset: 0, length: 160))
    var recorder = try FreeSpaceRecorder(
      freeSpace: before, index: .none, version: 9, writer: transaction.writer, allocationsMax: 8)
    let cut: Extent
    let grown: [Extent]
    if grownBefore == 0 {
      cut = Extent(offset: 100, length: 60)
      grown = [Extent(offset: 100, length: 100)]
    } else {
      // Grown from 160 to 180, cut back to 100, grown to 200.
      cut = Extent(offset: 100, length: 80)
      grown = [Extent(offset: 160, length: 20), Extent(offset: 100, length: 100)]
    }
    recorder.finish(
      used: [Extent(offset: 90, length: 60)], grown: grown, cut: cut, grownBeforeCut: grownBefore)

    var replayed = FreeSpace()
    try replayed.advance(
      to: 9, source: transaction.source, index: recorder.reference, logicalSize: 200)
    var runs: [Extent] = []
    replayed.forEach { runs.append($0.extent) }
    runs.sort { $0.offset < $1.offset }
    #expect(runs == [Extent(offset: 0, length: 90), Extent(offset: 150, length: 50)])
  }
}
