import Foundation
import RealmSwift

// Classes that the tests of objects, collections and realms share.

final class Keeper: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = "nobody"
  @Persisted var animals: List<Animal>
  @Persisted var favourite: Animal?
}

final class Animal: Object {
  @Persisted var name: String
  @Persisted(indexed: true) var age: Int
  @Persisted var weight = 1.5
  @Persisted var isTame: Bool
  @Persisted var born: Date?
  @Persisted var keeper: Keeper?
  @Persisted(originProperty: "animals") var keepers: LinkingObjects<Keeper>

  convenience init(_ name: String, age: Int = 0) {
    self.init()
    self.name = name
    self.age = age
  }
}

enum Colour: Int, PersistableEnum {
  case red = 3
  case green = 5
}

struct Metres: CustomPersistable {
  var value: Double
  init(_ value: Double) { self.value = value }
  init(persistedValue: Double) { value = persistedValue }
  var persistableValue: Double { value }
}

/// One property of every kind.
final class Everything: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var int: Int
  @Persisted var int8: Int8
  @Persisted var int16: Int16
  @Persisted var int32: Int32
  @Persisted var int64: Int64
  @Persisted var bool: Bool
  @Persisted var float: Float
  @Persisted var double: Double
  @Persisted var string: String
  @Persisted var data: Data
  @Persisted var date: Date
  @Persisted var objectId: ObjectId
  @Persisted var uuid: UUID
  @Persisted var decimal: Decimal128
  @Persisted var colour: Colour
  @Persisted var length: Metres
  @Persisted var optionalInt: Int?
  @Persisted var optionalBool: Bool?
  @Persisted var optionalFloat: Float?
  @Persisted var optionalDouble: Double?
  @Persisted var optionalString: String?
  @Persisted var optionalData: Data?
  @Persisted var optionalDate: Date?
  @Persisted var optionalObjectId: ObjectId?
  @Persisted var optionalUUID: UUID?
  @Persisted var optionalDecimal: Decimal128?
  @Persisted var optionalColour: Colour?
  @Persisted var ints: List<Int>
  @Persisted var strings: List<String>
  @Persisted var optionalInts: List<Int?>
  @Persisted var dates: List<Date>
}
