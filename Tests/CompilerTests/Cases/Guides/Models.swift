import RealmSwift

// What the code in the guides takes for granted.

final class Person: Object {
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var dogs: List<Dog>
  @Persisted var notes: AnyRealmValue
}

final class Dog: Object {
  @Persisted var name: String
  @Persisted var age: Int

  convenience init(name: String) {
    self.init()
    self.name = name
  }
}
