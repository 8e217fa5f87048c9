import Foundation
import RealmSwift
import Testing

final class EarlierMeeting: Object {
  @Persisted var topic: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
  override class func _realmObjectName() -> String? { "Meeting" }
}

final class LaterMeeting: Object {
  @Persisted var topic: String
  @Persisted(indexed: true) var start: Date
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
  override class func _realmObjectName() -> String? { "Meeting" }
}

@Suite struct DateDefaultTests {
  @Test("a date that is not given is the present, once it was asked for or stored")
  func datesBeginNow() throws {
    let file = TemporaryRealm([LaterMeeting.self])
    let before = Date()
    let meeting = LaterMeeting()
    let start = meeting.start
    #expect(before <= start && start <= Date())
    #expect(meeting.start == start)
    let realm = try file.open()
    try realm.write { realm.add(meeting) }
    #expect(meeting.start == start)
    let created = try realm.write { realm.create(LaterMeeting.self) }
    #expect(start <= created.start && created.start <= Date())
    #expect(created.start == realm.objects(LaterMeeting.self).last?.start)
  }

  @Test("a date that a class gets later is the beginning of 1970 in the objects that there are")
  func olderObjects() throws {
    let file = TemporaryRealm([EarlierMeeting.self])
    try autoreleasepool {
      let realm = try file.open()
      try realm.write { _ = realm.create(EarlierMeeting.self, value: ["topic": "Budget"]) }
    }
    var configuration = TemporaryRealm.configuration(path: file.path, [LaterMeeting.self])
    configuration.schemaVersion = 1
    let realm = try Realm(configuration: configuration)
    let meeting = try #require(realm.objects(LaterMeeting.self).first)
    #expect(meeting.topic == "Budget")
    #expect(meeting.start == Date(timeIntervalSince1970: 0))
    let beginning = Date(timeIntervalSince1970: 0)
    #expect(realm.objects(LaterMeeting.self).where { $0.start == beginning }.count == 1)
  }
}
