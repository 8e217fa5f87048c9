import RealmSwift

// A lending library: what its program stores.

enum Shelf: String, PersistableEnum {
  case fiction
  case science
  case history
}

struct Isbn: CustomPersistable, Hashable {
  var digits: String
  init(_ digits: String) { self.digits = digits }
  init(persistedValue: String) { digits = persistedValue }
  var persistableValue: String { digits }
}

final class Author: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted(indexed: true) var name = ""
  @Persisted var born: Date?
  @Persisted(originProperty: "authors") var books: LinkingObjects<Novel>

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }
}

final class Novel: Object {
  @Persisted(primaryKey: true) var isbn: Isbn
  @Persisted var title: String
  @Persisted var pages = 100
  @Persisted var price: Decimal128
  @Persisted var rating: Double?
  @Persisted var shelf = Shelf.fiction
  @Persisted var authors: List<Author>
  @Persisted var keywords: MutableSet<String>
  @Persisted var stock: Map<String, Int>
  @Persisted var remark: AnyRealmValue
  @Persisted(originProperty: "book") var loans: LinkingObjects<Loan>

  /// Not stored.
  var isLong: Bool { pages > 400 }
}

final class Member: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var name: String
  @Persisted var joined = Date(timeIntervalSince1970: 0)
  @Persisted var favourites: List<Novel>
}

final class Loan: Object {
  @Persisted var book: Novel?
  @Persisted var member: Member?
  @Persisted var days = 14
  @Persisted var isReturned: Bool
}

/// A book as a list on a screen shows it.
final class BookRow: Projection<Novel> {
  @Projected(\Novel.title) var title
  @Projected(\Novel.pages) var pages
  @Projected(\Novel.authors.projectTo.name) var authorNames: ProjectedCollection<String>
}

/// A note that is exchanged as JSON.
final class Notice: Object, Codable {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var text: String
  @Persisted var tags: List<String>
  @Persisted var seen: Bool?
}

// MARK: - As the first version of the program had them

final class OldMember: Object {
  @Persisted var number: String
  @Persisted var firstName: String
  @Persisted var lastName: String
  @Persisted var fee: Int
  override class func _realmObjectName() -> String? { "Subscriber" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class NewMember: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var fullName: String
  @Persisted var fee: Double
  @Persisted var surname: String
  override class func _realmObjectName() -> String? { "Subscriber" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
