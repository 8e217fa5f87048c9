import RealmSwift

/// Adding, changing and deleting.
struct Shop {
  let realm: Realm

  func run() throws {
    try addBooks()
    try change()
    try lend()
    try delete()
    try undo()
  }

  private func addBooks() throws {
    let verne = Author("Jules Verne")
    verne.born = Date(timeIntervalSince1970: -4_472_150_400)
    let island = Novel()
    island.isbn = Isbn("978-1")
    island.title = "The Mysterious Island"
    island.pages = 640
    island.price = 12.50
    island.authors.append(verne)
    island.keywords.insert(objectsIn: ["balloon", "volcano"])
    island.stock["main"] = 2
    expect(island.realm == nil, "an object belongs to no realm at first")
    try realm.write { realm.add(island) }
    expect(island.realm != nil && verne.realm != nil, "what it links to is added, too")

    try realm.write {
      realm.create(
        Novel.self,
        value: [
          "isbn": "978-2", "title": "Cosmos", "pages": 396, "price": "18.99", "rating": 4.5,
          "shelf": "science", "authors": [["name": "Carl Sagan"]],
          "keywords": ["space", "time"], "stock": ["main": 1, "harbour": 3],
        ] as [String: Any])
      let pair = [Author("Ann Druyan"), Author("Herodotus")]
      realm.add(pair)
      let histories = Novel(value: ["isbn": "978-3", "title": "Histories", "pages": 720])
      histories.shelf = .history
      histories.authors.append(pair[1])
      histories.price = try Decimal128(string: "9.90")
      realm.add(histories)
    }
    expect(realm.objects(Novel.self).count == 3, "three books")
    expect(realm.objects(Author.self).count == 4, "four authors")
  }

  private func change() throws {
    let cosmos = realm.object(ofType: Novel.self, forPrimaryKey: "978-2")!
    try realm.write {
      cosmos.rating = nil
      cosmos.stock["harbour"]! += 1
      cosmos.keywords.remove("time")
      cosmos.remark = .string("signed")
      cosmos.authors.insert(realm.objects(Author.self).first { $0.name == "Ann Druyan" }!, at: 0)
    }
    expect(cosmos.rating == nil && cosmos.stock["harbour"] == 4, "values were changed")
    expect(cosmos.authors.map(\.name) == ["Ann Druyan", "Carl Sagan"], "the list is in order")
    expect(cosmos.remark.stringValue == "signed", "a value of any type")

    try realm.write {
      realm.create(
        Novel.self, value: ["isbn": "978-2", "rating": 4.8] as [String: Any], update: .modified)
      realm.objects(Novel.self).filter("shelf == 'history'").setValue(4.0, forKey: "rating")
      cosmos.authors.swapAt(0, 1)
      cosmos.authors.move(from: 0, to: 1)
    }
    expect(cosmos.rating == 4.8 && cosmos.title == "Cosmos", "only what was given has changed")
    expect(cosmos.value(forKeyPath: "authors.@count") as? Int == 2, "key paths as text")
    cosmos.realm?.refresh()
    expect(cosmos["pages"] as? Int == 396, "properties by name")
  }

  private func lend() throws {
    try realm.write {
      for number in 1...4 {
        let member = Member(value: ["number": number, "name": "Member \(number)"])
        member.favourites.append(
          objectsIn: realm.objects(Novel.self).filter("pages > %@", number * 200))
        realm.add(member)
        for book in member.favourites {
          realm.create(Loan.self, value: ["book": book, "member": member, "days": number * 7])
        }
      }
    }
    let island = realm.object(ofType: Novel.self, forPrimaryKey: "978-1")!
    expect(island.loans.count == 3, "links are followed backwards")
    expect(island.loans.sum(of: \.days) == 42, "and added up")
    expect(island.authors.first?.books.first?.title == island.title, "both ways")
  }

  private func delete() throws {
    let loans = realm.objects(Loan.self)
    let before = loans.count
    try realm.write { realm.delete(loans.where { $0.days > 20 }) }
    expect(loans.count < before, "results are live")
    let member = realm.object(ofType: Member.self, forPrimaryKey: 4)!
    try realm.write { realm.delete(member) }
    expect(member.isInvalidated, "a deleted object says so")
    expect(realm.object(ofType: Member.self, forPrimaryKey: 4) == nil, "and is not found")
  }

  private func undo() throws {
    struct Mistake: Error {}
    do {
      try realm.write {
        realm.deleteAll()
        throw Mistake()
      }
      expect(false, "the error is thrown on")
    } catch is Mistake {}
    expect(realm.objects(Novel.self).count == 3, "nothing was deleted")
    realm.beginWrite()
    realm.delete(realm.objects(Author.self))
    realm.cancelWrite()
    expect(realm.objects(Author.self).count == 4, "a cancelled write changes nothing")
  }
}
