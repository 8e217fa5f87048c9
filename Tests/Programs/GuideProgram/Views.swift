import RealmSwift

/// Sections and projections, and objects by name.
struct Views {
  let realm: Realm

  func run() throws {
    sections()
    try projections()
    try names()
  }

  private func sections() {
    let sections = realm.objects(Novel.self).sectioned(by: \.shelf)
    expect(sections.allKeys == [.fiction, .history, .science], "a section for each shelf")
    expect(sections[1].key == .history && sections[1].count == 1, "with its books")
    expect(sections[IndexPath(item: 0, section: 2)].title == "Cosmos", "by index path")
    let initials = realm.objects(Author.self).sectioned(
      by: { String($0.name.prefix(1)) }, sortDescriptors: [SortDescriptor(keyPath: \Author.name)])
    expect(initials.allKeys == ["A", "C", "H", "J"], "sections by what a closure says")
    var names: [String] = []
    for section in initials { names += section.map(\.name) }
    expect(names == ["Ann Druyan", "Carl Sagan", "Herodotus", "Jules Verne"], "in order")
  }

  private func projections() throws {
    let rows = realm.objects(BookRow.self).filter("pages > 500")
    expect(rows.count == 2, "projections are queried like objects")
    let row = rows.first!
    expect(Array(row.authorNames) == ["Jules Verne"], "and show what they are told to")
    try realm.write { row.pages += 1 }
    expect(row.rootObject.pages == 641, "changes go through")
    try realm.write { row.pages -= 1 }
  }

  private func names() throws {
    let books = realm.dynamicObjects("Novel").filter("pages > 700")
    expect(books.first?.title as? String == "Histories", "an object by the name of its class")
    try realm.write {
      let author = realm.dynamicCreate("Author", value: ["name": "Thucydides"])
      books.first?.dynamicList("authors").append(author)
    }
    let histories = realm.object(ofType: Novel.self, forPrimaryKey: "978-3")!
    expect(histories.authors.last?.name == "Thucydides", "made by name")
    expect(realm.schema["Novel"]?.primaryKeyProperty?.name == "isbn", "the schema")
    expect(histories.objectSchema["authors"]?.objectClassName == "Author", "of an object")
  }
}
