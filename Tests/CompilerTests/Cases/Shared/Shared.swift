import RealmSwift

// What the cases have in common.

final class Person: Object {
  @Persisted var name: String
  @Persisted var dogs: List<Dog>
}

final class Dog: Object {
  @Persisted var name: String
  @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}

func requireSendable<T: Sendable>(_ type: T.Type) {}

func inBackground(_ work: @escaping @Sendable () -> Void) {}

actor Archive {
  var kept: Any?
}
