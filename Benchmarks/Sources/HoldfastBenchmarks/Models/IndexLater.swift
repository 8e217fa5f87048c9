import Foundation
import RealmSwift

/// `Person` after its class has been given an index.
final class AgeIndexedPerson: Object {
  override class func _realmObjectName() -> String? { "Person" }

  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted(indexed: true) var age: Int
  @Persisted var score: Double
  @Persisted var date: Date
  @Persisted var flag: Bool
}

/// And then another one.
final class NameIndexedPerson: Object {
  override class func _realmObjectName() -> String? { "Person" }

  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name: String
  @Persisted(indexed: true) var age: Int
  @Persisted var score: Double
  @Persisted var date: Date
  @Persisted var flag: Bool
}
