import Foundation
import RealmSwift
import Testing

@Suite struct UnmanagedObjectTests {
  @Test func propertiesHoldTheirDeclaredValuesAndTypesDefaults() {
    let animal = Animal()
    #expect(animal.name == "")
    #expect(animal.weight == 1.5)
    #expect(animal.age == 0)
    #expect(animal.born == nil)
    #expect(animal.keeper == nil)
    let keeper = Keeper()
    #expect(keeper.name == "nobody")
    #expect(keeper.animals.isEmpty)
  }

  @Test func propertiesCanBeSetAndRead() {
    let keeper = Keeper()
    let animal = Animal("Rex", age: 3)
    keeper.animals.append(animal)
    keeper.favourite = animal
    #expect(keeper.animals[0] === animal)
    #expect(keeper.favourite?.name == "Rex")
    keeper.favourite?.age += 1
    #expect(animal.age == 4)
  }

  @Test func aDefaultThatIsGeneratedIsGeneratedOnce() {
    let object = Everything()
    #expect(object.id == object.id)
    #expect(object.uuid == object.uuid)
    #expect(object.id != Everything().id)
  }

  @Test func aCollectionPropertyIsOneListPerObject() {
    let object = Everything()
    let list = object.ints
    list.append(7)
    #expect(Array(object.ints) == [7])
    #expect(object.ints == list)
    #expect(object.ints != Everything().ints)
  }

  @Test func objectsAreFilledFromDictionariesArraysAndObjects() {
    let keeper = Keeper(value: [
      "id": 4, "name": "Ada", "animals": [["name": "Rex", "age": 3], ["name": "Pip"]],
      "favourite": ["name": "Tom"],
    ])
    #expect(keeper.id == 4)
    #expect(keeper.animals.map(\.name) == ["Rex", "Pip"])
    #expect(keeper.animals[0].age == 3)
    #expect(keeper.favourite?.name == "Tom")
    let ordered = Animal(value: ["Rex", 3, 2.5])
    #expect(ordered.name == "Rex" && ordered.age == 3 && ordered.weight == 2.5)
    #expect(ordered.isTame == false)
    let copy = Keeper(value: keeper)
    #expect(copy.id == 4 && copy.name == "Ada")
    #expect(copy.animals.count == 2)
    #expect(copy.animals !== keeper.animals && copy.animals == keeper.animals)
  }

  @Test func valuesAreConvertedWhereNothingIsLost() {
    let object = Everything(value: [
      "int": 3.0, "int8": 5, "double": 2, "bool": 1, "colour": 5, "length": 2.5,
      "decimal": "1.5", "optionalInt": NSNull(), "date": Date(timeIntervalSince1970: 5),
    ])
    #expect(object.int == 3)
    #expect(object.int8 == 5)
    #expect(object.double == 2)
    #expect(object.bool)
    #expect(object.colour == .green)
    #expect(object.length == Metres(2.5))
    #expect(object.decimal == 1.5)
    #expect(object.optionalInt == nil)
    #expect(object.date.timeIntervalSince1970 == 5)
  }

  @Test func propertiesAreReachedByName() {
    let animal = Animal("Rex", age: 3)
    #expect(animal["name"] as? String == "Rex")
    #expect(animal["born"] == nil)
    animal["age"] = 9
    #expect(animal.age == 9)
    animal["born"] = Date(timeIntervalSince1970: 1)
    #expect(animal.born != nil)
    animal["born"] = nil
    #expect(animal.born == nil)
  }

  @Test func unmanagedObjectsAreEqualOnlyToThemselves() {
    let first = Keeper(value: ["id": 1])
    let second = Keeper(value: ["id": 1])
    #expect(first != second)
    #expect(first == first)
    #expect(!first.isSameObject(as: second))
    #expect(first.realm == nil)
    #expect(!first.isInvalidated && !first.isFrozen)
  }

  @Test func descriptionsShowPropertiesAndStopAtDepth() {
    let keeper = Keeper(value: ["id": 4, "name": "Ada"])
    #expect(keeper.description.contains("id = 4;"))
    let animal = Animal("Rex")
    keeper.animals.append(animal)
    animal.keeper = keeper
    #expect(animal.description.contains("Ada"))
  }

  @Test func theSchemaOfAClassCanBeAsked() {
    let schema = Animal().objectSchema
    #expect(schema.className == "Animal")
    #expect(schema["age"]?.isIndexed == true)
    #expect(schema["keeper"]?.objectClassName == "Keeper")
    #expect(schema["keepers"]?.type == .linkingObjects)
    #expect(Keeper().objectSchema.primaryKeyProperty?.name == "id")
    #expect(Keeper().objectSchema["animals"]?.isArray == true)
    #expect(Everything().objectSchema["colour"]?.type == .int)
  }

  @Test func keyPathsHaveNames() {
    #expect(_name(for: \Animal.age) == "age")
    #expect(_name(for: \Animal.keeper?.name) == "keeper.name")
    #expect(_name(for: \Keeper.favourite?.keeper?.id) == "favourite.keeper.id")
    #expect(_name(for: \Keeper.animals) == "animals")
    #expect(_name(for: \Animal.keepers) == "keepers")
  }

  @Test func unmanagedObjectsAreCodable() throws {
    let decoded = try JSONDecoder().decode(
      CodableNote.self, from: Data(#"{"text": "hi", "tags": ["a", "b"]}"#.utf8))
    #expect(decoded.text == "hi")
    #expect(Array(decoded.tags) == ["a", "b"])
    #expect(decoded.rating == nil)
    let encoded = try JSONEncoder().encode(decoded)
    let again = try JSONDecoder().decode(CodableNote.self, from: encoded)
    #expect(again.text == "hi" && again.tags.count == 2)
  }
}

@Suite struct CodingStrategyTests {
  private let text =
    #"{"when":"2026-01-02T03:04:05Z","photo":"0102","price":12.10,"#
    + #""dates":["2026-01-02T03:04:05Z"]}"#

  @Test func `strategies of a JSON coder hold inside persisted properties`() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.dataDecodingStrategy = .custom { decoder in
      let digits = try decoder.singleValueContainer().decode(String.self)
      return Data(digits.split(separator: "0").compactMap { UInt8($0) })
    }
    let event = try decoder.decode(CodableEvent.self, from: Data(text.utf8))
    #expect(event.when == Date(timeIntervalSince1970: 1_767_323_045))
    #expect(event.dates.first == event.when)
    #expect(event.photo == Data([1, 2]))
    #expect(event.price == Decimal128(value: "12.1"))
    #expect(event.ended == nil)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = .sortedKeys
    let encoded = String(decoding: try encoder.encode(event), as: UTF8.self)
    #expect(encoded.contains(#""when":"2026-01-02T03:04:05Z""#), "\(encoded)")
    #expect(encoded.contains(#""photo":"AQI=""#), "\(encoded)")
  }

  @Test(arguments: [("7", "7"), ("-0.25", "-0.25"), (#""1E+3""#, "1E+3")])
  func `decimals are decoded from numbers and from text`(text: String, expected: String) throws {
    let decoded = try JSONDecoder().decode([Decimal128].self, from: Data("[\(text)]".utf8))
    #expect(decoded.map(\.description) == [expected])
  }
}

final class CodableEvent: Object, Codable {
  @Persisted var when: Date
  @Persisted var ended: Date?
  @Persisted var photo: Data
  @Persisted var price: Decimal128
  @Persisted var dates: List<Date>
}

final class CodableNote: Object, Codable {
  @Persisted var text: String
  @Persisted var tags: List<String>
  @Persisted var rating: Int?
}

@Suite struct PropertyMisuseTests {
  @Test func anUnknownPropertyIsAMisuse() async {
    await #expect(processExitsWith: .failure) { Animal()["wings"] = 2 }
  }

  @Test func aValueOfAnotherTypeIsAMisuse() async {
    await #expect(processExitsWith: .failure) { _ = Animal(value: ["age": "old"]) }
  }

  @Test func tooManyValuesAreAMisuse() async {
    await #expect(processExitsWith: .failure) { _ = CodableNote(value: ["", [], 1, 2]) }
  }
}
