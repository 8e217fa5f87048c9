import Foundation
import RealmSwift
import Testing

@Suite struct BSONTests {
  @Test func everyTypeGoesInAndComesOut() throws {
    func check<T: BSON>(_ value: T, _ expected: AnyBSON) {
      let any = AnyBSON(value)
      #expect(any == expected)
      #expect(any.value() == value)
    }
    let id = ObjectId.generate()
    let uuid = UUID()
    let date = Date(timeIntervalSince1970: 86_400.5)
    let pattern = try NSRegularExpression(pattern: "^a", options: .caseInsensitive)
    check(1, .int64(1))
    check(Int32(2), .int32(2))
    check(Int64(3), .int64(3))
    check(true, .bool(true))
    check(1.5, .double(1.5))
    check("text", .string("text"))
    check(Data([1, 2]), .binary(Data([1, 2])))
    check(date, .datetime(date))
    check(Decimal128("1.25"), .decimal128("1.25"))
    check(id, .objectId(id))
    check(uuid, .uuid(uuid))
    check(pattern, .regex(pattern))
    check(MinKey(), .minKey)
    check(MaxKey(), .maxKey)
    check(["a": .int64(1), "b": nil] as Document, .document(["a": .int64(1), "b": nil]))
    check([.int64(1), nil] as [AnyBSON?], .array([.int64(1), nil]))
    check(AnyBSON.timestamp(date), .timestamp(date))
    #expect(AnyBSON(NSNull()) == .null && AnyBSON() == .null && AnyBSON.null.isNull)
  }

  @Test func literals() {
    let document: AnyBSON = [
      "name": "Rex", "age": 3, "weight": 7.5, "good": true, "tags": ["a", nil],
    ]
    #expect(document.documentValue?["name"] == .some(.string("Rex")))
    #expect(document.documentValue?["age"] == .some(.int64(3)))
    #expect(document.documentValue?["weight"] == .some(.double(7.5)))
    #expect(document.documentValue?["good"] == .some(.bool(true)))
    #expect(document.documentValue?["tags"]??.arrayValue == [.string("a"), nil])
  }

  @Test func aValueIsOnlyOfItsOwnType() {
    let any = AnyBSON.int32(7)
    #expect(any.int32Value == 7)
    #expect(any.int64Value == nil && any.doubleValue == nil && any.stringValue == nil)
    #expect(any.boolValue == nil && any.arrayValue == nil && any.documentValue == nil)
    let wrong: String? = any.value()
    #expect(wrong == nil)
    #expect(!any.isNull)
  }

  @Test func numbersConvertWhereNothingIsLost() {
    #expect(AnyBSON.int32(7).asInt == 7 && AnyBSON.double(7).asInt == 7)
    #expect(AnyBSON.double(7.5).asInt == nil && AnyBSON.string("7").asInt == nil)
    #expect(AnyBSON.int64(1 << 40).asInt32 == nil && AnyBSON.int64(1 << 40).asInt64 == 1 << 40)
    #expect(AnyBSON.int64(.max).asDouble == nil && AnyBSON.int64(3).asDouble == 3)
    #expect(AnyBSON.decimal128("0.5").asDouble == 0.5)
    #expect(AnyBSON.decimal128("0.10000000000000000000001").asDouble == nil)
    #expect(AnyBSON.int32(2).asDecimal128 == 2 && AnyBSON.double(0.5).asDecimal128 == 0.5)
  }

  @Test func aPartitionIsAnyOfThem() {
    let partitions: [any PartitionValue] = ["a", 1, UUID(), AnyBSON.null]
    #expect(partitions.count == 4)
  }
}
