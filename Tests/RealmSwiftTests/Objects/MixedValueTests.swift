import Foundation
import RealmSwift
import Testing

/// Objects made out of dictionaries and arrays, whose values are of the property's own type or of
/// one that can be converted to it.
@Suite struct MixedValueTests {
  let file = TemporaryRealm()

  private static let date = Date(timeIntervalSinceReferenceDate: 77)
  private static let uuid = UUID()

  /// The same values in the properties' own types, in Foundation's classes, and within optionals.
  private static var forms: [[String: Any]] {
    [
      [
        "int": 7, "int8": Int8(5), "bool": true, "float": Float(1.5), "double": 2.5,
        "string": "Rex", "date": date, "uuid": uuid, "decimal": Decimal128(3),
        "colour": Colour.green,
        "optionalInt": 9, "optionalBool": true, "optionalDouble": 0.5, "optionalString": "Pip",
        "optionalDate": date, "data": Data([1, 2]), "ints": [1, 2],
      ],
      [
        "int": NSNumber(value: 7), "int8": NSNumber(value: 5), "bool": NSNumber(value: true),
        "float": NSNumber(value: 1.5), "double": NSNumber(value: 2.5), "string": NSString("Rex"),
        "date": date, "uuid": uuid.uuidString, "decimal": NSNumber(value: 3), "colour": 5,
        "optionalInt": NSNumber(value: 9), "optionalBool": 1,
        "optionalDouble": NSNumber(value: 0.5),
        "optionalString": NSString("Pip"), "optionalDate": date, "data": [UInt8]([1, 2]),
        "ints": [NSNumber(value: 1), NSNumber(value: 2)],
      ],
      [
        "int": Int?.some(7) as Any, "int8": 5.0, "bool": 1, "float": 1.5, "double": Float(2.5),
        "string": "Rex!".dropLast(), "date": Date?.some(date) as Any,
        "uuid": UUID?.some(uuid) as Any,
        "decimal": "3", "colour": Colour?.some(.green) as Any, "optionalInt": Int??.some(9) as Any,
        "optionalBool": Bool?.some(true) as Any, "optionalDouble": Float(0.5),
        "optionalString": String?.some("Pip") as Any, "optionalDate": Date?.some(date) as Any,
        "data": Data([1, 2]), "ints": ContiguousArray([1, 2]),
      ],
    ]
  }

  private func check(_ object: Everything) {
    #expect(object.int == 7 && object.int8 == 5 && object.bool)
    #expect(object.float == 1.5 && object.double == 2.5 && object.string == "Rex")
    #expect(object.date == Self.date && object.uuid == Self.uuid && object.decimal == 3)
    #expect(
      object.colour == .green && object.data == Data([1, 2]) && Array(object.ints) == [1, 2])
    #expect(object.optionalInt == 9 && object.optionalBool == true && object.optionalDouble == 0.5)
    #expect(object.optionalString == "Pip" && object.optionalDate == Self.date)
    #expect(object.optionalFloat == nil && object.optionalUUID == nil)
  }

  @Test("values are taken as they are or converted", arguments: 0..<3)
  func forms(_ index: Int) throws {
    let realm = try file.open()
    check(Everything(value: Self.forms[index]))
    try realm.write {
      let id = ObjectId.generate()
      let values = Self.forms[index].merging(["id": id]) { $1 }
      check(realm.create(Everything.self, value: values))
      let nothing: [String: Any] = [
        "id": id, "optionalInt": NSNull(), "optionalBool": Bool?.none as Any,
        "optionalDouble": Double??.some(nil) as Any, "optionalString": NSNull(),
        "optionalDate": Date?.none as Any,
      ]
      let cleared = realm.create(Everything.self, value: nothing, update: .modified)
      #expect(cleared.optionalInt == nil && cleared.optionalBool == nil)
      #expect(cleared.optionalDouble == nil && cleared.optionalString == nil)
      #expect(cleared.optionalDate == nil && cleared.int == 7)
    }
  }

  @Test("nested dictionaries, arrays and objects become linked objects")
  func nested() throws {
    let realm = try file.open()
    try realm.write {
      let rex = Animal("Rex", age: 3)
      let keeper = realm.create(
        Keeper.self,
        value: [
          "id": 1, "favourite": rex,
          "animals": [rex, ["name": "Pip"], ["Tom", NSNumber(value: 4)]] as [Any],
        ] as [String: Any])
      #expect(keeper.favourite?.name == "Rex" && keeper.favourite?.age == 3)
      #expect(keeper.animals.map(\.name) == ["Rex", "Pip", "Tom"])
      #expect(keeper.animals.map(\.age) == [3, 0, 4])
      #expect(keeper.animals[0] === rex || keeper.animals[0].isSameObject(as: rex))
      let second = realm.create(Keeper.self, value: [2, "Ada", [Animal](), NSNull()] as [Any])
      #expect(second.name == "Ada" && second.animals.isEmpty && second.favourite == nil)
    }
    #expect(realm.objects(Animal.self).count == 3)
  }

  /// What was seen in the transaction is written without being looked for: also after it was
  /// deleted the row of another object must not be taken for it.
  @Test("properties set one after another in one transaction")
  func setAfterCreate() throws {
    let realm = try file.open()
    try realm.write {
      var objects: [Everything] = []
      for index in 0..<600 {
        let object = realm.create(Everything.self, value: ["id": ObjectId.generate()])
        object.int = index
        object.optionalString = "\(index)"
        objects.append(object)
      }
      realm.delete(objects.enumerated().filter { $0.offset % 3 == 0 }.map(\.element))
      for (index, object) in objects.enumerated() where index % 3 != 0 {
        object.int += 1
        object.colour = .green
        object.optionalColour = .green
        object.optionalString = nil
        object.optionalData = Data([UInt8(index & 255)])
      }
    }
    let left = realm.objects(Everything.self)
    let kept = (0..<600).filter { $0 % 3 != 0 }
    #expect(left.map(\.int) == kept.map { $0 + 1 })
    #expect(left.filter { $0.colour == .green && $0.optionalColour == .green }.count == 400)
    #expect(left.filter { $0.optionalString == nil }.count == 400)
    for object in left {
      let byte = UInt8((object.int - 1) & 255)
      #expect(object.optionalData == Data([byte]))
    }
  }

  @Test("objects of several classes are deleted together")
  func deleteSequence() throws {
    let realm = try file.open()
    try realm.write {
      let animals = (0..<50).map { Animal("\($0)", age: $0) }
      let keepers = (0..<10).map { Keeper(value: ["id": $0]) }
      for keeper in keepers { keeper.animals.append(objectsIn: animals + animals) }
      realm.add(keepers)
      let gone: [Object] = [animals[3], animals[4], keepers[0], animals[49], keepers[9]]
      realm.delete(gone)
      #expect(gone.filter(\.isInvalidated).count == 5)
      let left = animals.filter { !$0.isInvalidated }.map(\.age)
      #expect(left.count == 47)
      for keeper in keepers where !keeper.isInvalidated {
        #expect(keeper.animals.map(\.age) == left + left)
      }
    }
    #expect(realm.objects(Keeper.self).count == 8)
  }
}
