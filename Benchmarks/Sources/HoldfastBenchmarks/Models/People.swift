import RealmSwift

/// One of many that link to each other.
final class Member: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var age: Int
  @Persisted var friend: Member?
  @Persisted(originProperty: "friend") var admirers: LinkingObjects<Member>

  convenience init(_ record: Record) {
    self.init()
    id = record.identifier
    age = record.age
  }
}

/// Lists of some length.
final class Team: Object {
  @Persisted var members: List<Member>
  @Persisted var numbers: List<Int>
}
