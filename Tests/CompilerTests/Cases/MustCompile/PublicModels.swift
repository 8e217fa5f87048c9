import Foundation
import RealmSwift

// Models with a property of each form, for the files that name the public API.

enum Mood: Int, PersistableEnum { case calm, wild }

struct Celsius: CustomPersistable {
  var degrees: Double
  init(persistedValue: Double) { degrees = persistedValue }
  var persistableValue: Double { degrees }
}

struct Even: FailableCustomPersistable {
  var number: Int
  init?(persistedValue: Int) {
    if persistedValue % 2 != 0 { return nil }
    number = persistedValue
  }
  var persistableValue: Int { number }
}

final class Toy: EmbeddedObject {
  @Persisted var name: String
}

final class Cat: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted(indexed: true) var age: Int
  @Persisted var name = "Tom"
  @Persisted var weight: Double?
  @Persisted var born: Date
  @Persisted var price: Decimal128
  @Persisted var mood: Mood
  @Persisted var heat: Celsius?
  @Persisted var even: Even?
  @Persisted var any: AnyRealmValue
  @Persisted var toy: Toy?
  @Persisted var toys: List<Toy>
  @Persisted var friends: List<Cat>
  @Persisted var rivals: MutableSet<Cat>
  @Persisted var byName: Map<String, Cat?>
  @Persisted var numbers: List<Int>
  @Persisted var scores: MutableSet<Double>
  @Persisted var counts: Map<String, Int>
  @Persisted(originProperty: "friends") var admirers: LinkingObjects<Cat>
}

final class Place: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

final class Home: Object {
  @Persisted var place: Place?
  @Persisted(indexed: .fullText) var story: String
}

final class CatName: Projection<Cat> {
  @Projected(\Cat.name) var name
  @Projected(\Cat.friends.projectTo.name) var friendNames: ProjectedCollection<String>
}
