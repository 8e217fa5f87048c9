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

  @Test func whatConcernsAClientIsKnownFromWhenItIsFollowed() {
    let client = ClientID(1)
    var recent = RecentChanges(after: .zero)
    recent.add([(id: id(1), version: ServerVersion(1))], concerning: [id(1): [client]])
    #expect(recent.objects(after: .zero, concerning: client) == nil)
    recent.follow(client, after: ServerVersion(1))
    recent.add(
      [(id: id(3), version: ServerVersion(3)), (id: id(2), version: ServerVersion(2))],
      concerning: [id(3): [client, ClientID(2)], id(2): [ClientID(2)]])
    recent.add([(id: id(4), version: ServerVersion(4))], concerning: [id(4): [client]])
    #expect(recent.objects(after: .zero, concerning: client) == nil)
    #expect(recent.objects(after: ServerVersion(1), concerning: client) == [id(3), id(4)])
    #expect(recent.objects(after: ServerVersion(3), concerning: client) == [id(4)])
    // It has said that it has those.
    #expect(recent.objects(after: ServerVersion(1), concerning: client) == nil)
    recent.follow(client, after: nil)
    #expect(recent.objects(after: ServerVersion(4), concerning: client) == nil)
  }

  @Test func whoHasMissedMuchLooksAtAll() {
    let client = ClientID(1)
    var recent = RecentChanges(after: .zero)
    recent.follow(client, after: .zero)
    for version in 1...1_000 {
      let id = id(Int64(version))
      recent.add([(id: id, version: ServerVersion(UInt64(version)))], concerning: [id: [client]])
    }
    #expect(recent.objects(after: .zero, concerning: client) == nil)
    #expect(recent.objects(after: .zero)?.count == 1_000)
    #expect(recent.objects(after: ServerVersion(999), concerning: client) == [id(1_000)])
  }
}
