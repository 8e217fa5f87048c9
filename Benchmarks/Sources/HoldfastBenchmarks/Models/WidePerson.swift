import RealmSwift

/// A class with 30 properties, all of which are set.
final class WidePerson: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var i0: Int
  @Persisted var i1: Int
  @Persisted var i2: Int
  @Persisted var i3: Int
  @Persisted var i4: Int
  @Persisted var i5: Int
  @Persisted var i6: Int
  @Persisted var i7: Int
  @Persisted var i8: Int
  @Persisted var i9: Int
  @Persisted var s0: String
  @Persisted var s1: String
  @Persisted var s2: String
  @Persisted var s3: String
  @Persisted var s4: String
  @Persisted var s5: String
  @Persisted var s6: String
  @Persisted var s7: String
  @Persisted var d0: Double
  @Persisted var d1: Double
  @Persisted var d2: Double
  @Persisted var d3: Double
  @Persisted var d4: Double
  @Persisted var d5: Double
  @Persisted var d6: Double
  @Persisted var d7: Double
  @Persisted var b0: Bool
  @Persisted var b1: Bool
  @Persisted var b2: Bool

  convenience init(_ record: Record) {
    self.init()
    id = record.identifier
    i0 = record.age + 0
    i1 = record.age + 1
    i2 = record.age + 2
    i3 = record.age + 3
    i4 = record.age + 4
    i5 = record.age + 5
    i6 = record.age + 6
    i7 = record.age + 7
    i8 = record.age + 8
    i9 = record.age + 9
    s0 = record.name
    s1 = record.name
    s2 = record.name
    s3 = record.name
    s4 = record.name
    s5 = record.name
    s6 = record.name
    s7 = record.name
    d0 = record.score + 0
    d1 = record.score + 1
    d2 = record.score + 2
    d3 = record.score + 3
    d4 = record.score + 4
    d5 = record.score + 5
    d6 = record.score + 6
    d7 = record.score + 7
    b0 = record.flag
    b1 = record.flag
    b2 = record.flag
  }
}
