import Foundation
import RealmSwift
import Testing

/// What is put in is what comes out, to the last bit, also where Swift calls values equal that are
/// stored as different bytes.
@Suite struct ExactValueTests {
  let file = TemporaryRealm()

  private struct Values {
    var zero: Double
    var text: String

    static let first = Values(zero: 0, text: "\u{E9}")
    /// Negative zero, and the same letter in two code points.
    static let second = Values(zero: -0.0, text: "e\u{301}")

    func object(_ id: ObjectId) -> Everything {
      let object = Everything()
      object.id = id
      object.string = text
      object.double = zero
      object.float = Float(zero)
      object.date = Date(timeIntervalSinceReferenceDate: zero)
      object.optionalDouble = zero
      object.optionalString = text
      return object
    }

    func differences(_ object: Everything) -> [String] {
      var found: [String] = []
      func expect(_ name: String, _ isSame: Bool) { if !isSame { found.append(name) } }
      expect("double", object.double.bitPattern == zero.bitPattern)
      expect("float", object.float.bitPattern == Float(zero).bitPattern)
      expect("date", object.date.timeIntervalSinceReferenceDate.bitPattern == zero.bitPattern)
      expect("double?", object.optionalDouble!.bitPattern == zero.bitPattern)
      expect("string", Array(object.string.utf8) == Array(text.utf8))
      expect("string?", Array(object.optionalString!.utf8) == Array(text.utf8))
      return found
    }
  }

  @Test("new objects have exactly the values that they were given")
  func newObjects() throws {
    let realm = try file.open()
    for values in [Values.first, .second] {
      let object = values.object(.generate())
      try realm.write { realm.add(object) }
      #expect(values.differences(object) == [])
    }
  }

  @Test(
    "an update writes values that are equal and not the same",
    arguments: [Realm.UpdatePolicy.modified, .all])
  func updates(policy: Realm.UpdatePolicy) throws {
    let realm = try file.open()
    let id = ObjectId.generate()
    let object = Values.first.object(id)
    try realm.write { realm.add(object) }
    for values in [Values.second, .first] {
      try realm.write { realm.add(values.object(id), update: policy) }
      #expect(values.differences(object) == [])
    }
    try realm.write {
      realm.create(
        Everything.self, value: ["id": id, "double": -0.0, "string": Values.second.text],
        update: policy)
    }
    #expect(object.double.sign == .minus && object.string.utf8.count == 3)
  }
}
