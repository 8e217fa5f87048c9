import Storage
import TestSupport
import Testing

@testable import ObjectStore

/// Changes of several commits that are kept one behind the other.
@Suite struct JoinedHistoryTests {
  private struct Commits {
    var random: SeededGenerator
    var present: [Int64] = []
    var nextKey: Int64 = 0

    /// Random changes of one table in one commit.
    mutating func next() -> ChangeSet {
      var history = TableHistory()
      history.firstNew = nextKey
      for _ in 0..<random.below(4) where !present.isEmpty {
        let place = random.below(present.count)
        if random.below(4) == 0 {
          history.deleted(present.remove(at: place))
        } else {
          history.modified(present[place], UInt32(random.below(3)))
        }
      }
      for _ in 0..<random.below(3) {
        present.append(nextKey)
        nextKey += 1
      }
      var changes = ChangeSet()
      let table = history.changes(table: TableKey(rawValue: 4), nextKey: nextKey)
      if !table.isEmpty { changes.tables.append(table) }
      return changes
    }
  }

  @Test(arguments: 1...20)
  func `they are read as what they come to together`(seed: UInt64) throws {
    var commits = Commits(random: SeededGenerator(seed: seed))
    var merged = ChangeSet()
    var bytes: [UInt8] = []
    for _ in 0..<100 {
      let changes = commits.next()
      merged.merge(changes)
      bytes += changes.encoded()
      let read = try #require(unsafe bytes.withUnsafeBytes { unsafe ChangeSet($0) })
      #expect(read.encoded() == merged.encoded(), "seed \(seed)")
    }
  }

  @Test func `a change of the schema among them is not lost`() throws {
    var random = Commits(random: SeededGenerator(seed: 1))
    var changed = ChangeSet()
    changed.schemaChanged = true
    var bytes: [UInt8] = []
    for _ in 0..<9 { bytes += random.next().encoded() }
    bytes += changed.encoded()
    for _ in 0..<9 { bytes += random.next().encoded() }
    #expect(try #require(unsafe bytes.withUnsafeBytes { unsafe ChangeSet($0) }).schemaChanged)
  }

  @Test func `short ones are joined as they are, and long ones merged`() throws {
    var history = TableHistory()
    history.firstNew = 10
    history.modified(3, 1)
    let one = history.changes(table: TableKey(rawValue: 0), nextKey: 10)
    var changes = ChangeSet()
    changes.tables = [one]
    let bytes = changes.encoded()
    let two = unsafe bytes.withUnsafeBytes { unsafe ChangeSet.mergeEncoded($0, $0) }
    #expect(two == bytes + bytes)
    var all = bytes
    var lengthMax = 0
    for _ in 0..<20 {
      all = unsafe all.withUnsafeBytes { unsafe ChangeSet.mergeEncoded($0, $0) }
      lengthMax = max(lengthMax, all.count)
    }
    #expect(lengthMax <= 1 << 16)
    #expect(try #require(unsafe all.withUnsafeBytes { unsafe ChangeSet($0) }).encoded() == bytes)
  }
}
