import Foundation
import TestSupport
import Testing

@testable import RealmSwift

@Suite struct ObjectIdTests {
  @Test func textRoundTrips() throws {
    let id = try ObjectId(string: "507F1f77bcf86cd799439011")
    #expect(id.stringValue == "507f1f77bcf86cd799439011")
    #expect(id == ObjectId("507f1f77bcf86cd799439011"))
    #expect(id.timestamp == Date(timeIntervalSince1970: 0x507f1f77))
    #expect(ObjectId(bytes: id.bytes) == id)
    #expect(ObjectId().stringValue == String(repeating: "0", count: 24))
  }

  @Test(arguments: [
    "", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g",
  ])
  func malformedTextIsAnError(text: String) {
    let error = #expect(throws: Realm.Error.self) { try ObjectId(string: text) }
    #expect(error?.code == .invalidInput)
  }

  @Test func generatedIdsAreUniqueAndRiseWithTime() {
    let before = Date()
    let ids = (0..<10_000).map { _ in ObjectId.generate() }
    #expect(Set(ids).count == ids.count)
    #expect(abs(ids[0].timestamp.timeIntervalSince(before)) <= 5)
    let early = ObjectId(timestamp: Date(timeIntervalSince1970: 5), machineId: 1, processId: 2)
    #expect(early < ids[0])
    #expect(early.stringValue.hasPrefix("000000050000010002"))
  }

  @Test func orderIsThatOfTheBytes() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("ObjectId order seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let left = (0..<12).map { _ in UInt8.random(in: 0...3, using: &generator) }
      let right = (0..<12).map { _ in UInt8.random(in: 0...3, using: &generator) }
      let leftId = try #require(ObjectId(bytes: left))
      let rightId = try #require(ObjectId(bytes: right))
      #expect((leftId < rightId) == left.lexicographicallyPrecedes(right))
      #expect((leftId == rightId) == (left == right))
      #expect(try ObjectId(string: leftId.stringValue) == leftId)
    }
  }

  @Test func isCodedAsText() throws {
    let id = ObjectId.generate()
    let data = try JSONEncoder().encode([id])
    #expect(String(decoding: data, as: UTF8.self) == "[\"\(id.stringValue)\"]")
    #expect(try JSONDecoder().decode([ObjectId].self, from: data) == [id])
  }
}
