import SyncProtocol
import Testing

@testable import SyncServer

/// Which objects changed after a version, in memory.
@Suite struct RecentChangesTests {
  private func id(_ key: Int64) -> ObjectID { ObjectID(type: NameID(0), key: .int(key)) }

  @Test func objectsThatWereWrittenWithoutAChangeHideNoOthers() {
    var recent = RecentChanges(after: .zero)
    for version in 1...20 {
      recent.add([(id: id(Int64(version)), version: ServerVersion(UInt64(version)))])
    }
    // Merges in which nothing was new write objects as they were.
    for key in 1...30 { recent.add([(id: id(Int64(key % 3 + 1)), version: ServerVersion(3))]) }
    recent.add([(id: id(21), version: ServerVersion(21))])
    for version in 0...21 {
      let expected = Set((Int64(version) + 1..<22).map { id($0) })
      #expect(Set(recent.objects(after: ServerVersion(UInt64(version))) ?? []) == expected)
    }
  }

  @Test func whatIsNotKnownIsSaid() {
    var recent = RecentChanges(after: ServerVersion(10))
    recent.add([(id: id(1), version: ServerVersion(11))])
    #expect(recent.objects(after: ServerVersion(9)) == nil)
    #expect(recent.objects(after: ServerVersion(10)) == [id(1)])
    #expect(recent.objects(after: ServerVersion(11)) == [])
  }
}
