import Foundation
import RealmSwift

/// A record as a user's program declares it.
final class Person: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var score: Double
  @Persisted var date: Date
  @Persisted var flag: Bool

  convenience init(_ record: Record) {
    self.init()
    id = record.identifier
    name = record.name
    age = record.age
    score = record.score
    date = Date(timeIntervalSinceReferenceDate: record.date)
    flag = record.flag
  }
}

/// The same with two indexes.
final class IndexedPerson: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name: String
  @Persisted(indexed: true) var age: Int
  @Persisted var score: Double
  @Persisted var date: Date
  @Persisted var flag: Bool

  convenience init(_ record: Record) {
    self.init()
    id = record.identifier
    name = record.name
    age = record.age
    score = record.score
    date = Date(timeIntervalSinceReferenceDate: record.date)
    flag = record.flag
  }
}
