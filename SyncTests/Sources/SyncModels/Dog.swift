import RealmSwift

/// What the tests synchronise.
public final class Dog: Object {
  @Persisted(primaryKey: true) public var _id: ObjectId
  @Persisted public var name = ""
  @Persisted public var age = 0
  @Persisted public var nicknames: List<String>
  @Persisted public var friends: MutableSet<Dog>
  @Persisted public var scores: Map<String, Int>
  @Persisted public var collar: Collar?
  @Persisted public var mother: Dog?

  /// A dog of a name and an age.
  public convenience init(name: String, age: Int = 0) {
    self.init()
    self.name = name
    self.age = age
  }
}

/// Belongs to a dog.
public final class Collar: EmbeddedObject {
  @Persisted public var color = ""
}

/// Is only sent.
public final class Bark: AsymmetricObject {
  @Persisted(primaryKey: true) public var _id: ObjectId
  @Persisted public var loudness = 0
}
