import RealmSwift

/// Filters, order, sums.
struct Reading {
  let realm: Realm
  private var books: Results<Novel> { realm.objects(Novel.self) }

  func run() throws {
    typed()
    texts()
    predicates()
    order()
    sums()
  }

  private func titles(_ books: Results<Novel>) -> [String] {
    books.sorted(by: \.title).map(\.title)
  }

  private func typed() {
    expect(titles(books.where { $0.pages > 500 }) == ["Histories", "The Mysterious Island"], ">")
    expect(books.where { $0.shelf == .science }.first?.title == "Cosmos", "an enumeration")
    expect(books.where { $0.title.contains("ISLAND", options: .caseInsensitive) }.count == 1, "[c]")
    expect(books.where { $0.authors.name == "Carl Sagan" }.count == 1, "any of a list")
    expect(books.where { $0.authors.count == 2 && $0.rating > 4 }.count == 1, "two conditions")
    expect(books.where { $0.keywords.contains("volcano") }.count == 1, "a set")
    expect(books.where { $0.pages.contains(300...700) }.count == 2, "a range")
    expect(books.where { !($0.shelf == .fiction) }.count == 2, "not")
    expect(books.where { $0.title.in(["Cosmos", "Momo"]) }.count == 1, "one of several")
    let author = realm.objects(Author.self).where { $0.name == "Jules Verne" }.first!
    expect(books.where { $0.authors.contains(author) }.count == 1, "an object")
  }

  private func texts() {
    expect(books.filter("pages > 500 AND rating == 4.0").count == 1, "text")
    expect(
      books.filter("title BEGINSWITH %@ OR title ENDSWITH[c] %@", "Cos", "ISLAND").count == 2,
      "ends")
    expect(books.filter("ANY authors.name == 'Herodotus'").count == 1, "ANY")
    expect(books.filter("rating == nil").count == 1, "nil")
    expect(books.filter("pages BETWEEN {300, 700}").count == 2, "BETWEEN")
    expect(books.filter("shelf IN %@", ["fiction", "history"]).count == 2, "IN")
    expect(books.filter("authors.@count == 2").count == 1, "@count")
    expect(
      books.filter("SUBQUERY(loans, $loan, $loan.days < 10).@count > 0").count == 3, "SUBQUERY")
    expect(realm.objects(Loan.self).filter("book.title LIKE 'Cos*'").count == 1, "LIKE")
  }

  private func predicates() {
    let long = NSPredicate(format: "pages > %d", 600)
    expect(books.filter(long).count == 2, "NSPredicate")
    expect(books.filter(NSCompoundPredicate(notPredicateWithSubpredicate: long)).count == 1, "NOT")
    expect(books.index(matching: "title == 'Cosmos'") != nil, "an index")
  }

  private func order() {
    expect(books.sorted(byKeyPath: "pages").map(\.pages) == [396, 640, 720], "rising")
    let falling = books.sorted(by: [
      SortDescriptor(keyPath: "shelf", ascending: false), SortDescriptor(keyPath: "title"),
    ])
    expect(falling.map(\.title) == ["Cosmos", "Histories", "The Mysterious Island"], "by two")
    expect(
      realm.objects(Loan.self).sorted(byKeyPath: "book.pages").first?.book?.pages == 396,
      "through a link")
    expect(realm.objects(Loan.self).distinct(by: ["member.number"]).count == 2, "distinct")
    expect(books.sorted(by: \.pages)[1].title == "The Mysterious Island", "by index")
    expect(Array(books.sorted(by: \.pages).prefix(2)).count == 2, "the first two")
  }

  private func sums() {
    let pages: Int = books.sum(of: \.pages)
    expect(pages == 1756, "sum")
    expect(books.max(of: \.pages) == 720, "max")
    expect(books.min(ofProperty: "pages") == 396, "min")
    let average: Double? = books.average(of: \.pages)
    expect(average.map { abs($0 - 585.33) < 0.01 } == true, "average")
    expect(books.sum(of: \.price) == Decimal128("41.39"), "decimals")
    expect(books.first?.stock.values.reduce(0, +) == 2, "the values of a map")
  }
}
