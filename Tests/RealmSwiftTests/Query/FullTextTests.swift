import Foundation
import ObjectStore
import Testing

@testable import RealmSwift

final class TextNote: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: .fullText) var text: String
  @Persisted(indexed: .fullText) var remark: String?
  @Persisted var plain: String
  @Persisted var lines: List<String>
  @Persisted var next: TextNote?
}

@Suite struct FullTextTests {
  private let temporary = TemporaryRealm([TextNote.self])

  private static let texts = [
    "The quick brown fox jumps over the lazy dog", "Brown bears, and foxes!", "",
    "Größe und Café — Straße 12", "quick-witted QUICKLY", "東京 タワー, Tokyo Tower",
    "internationalisation and internationalization",
  ]

  private func filled() throws -> Realm {
    let realm = try temporary.open()
    try realm.write {
      for (id, text) in Self.texts.enumerated() {
        let note = realm.create(TextNote.self, value: ["id": id])
        note.text = text
        note.plain = text
        note.remark = id % 2 == 0 ? nil : text
        note.lines.append(objectsIn: text.split(separator: " ").map(String.init))
      }
    }
    return realm
  }

  /// - Parameter isFilled: whether each `plain` still is what its `text` is.
  private func ids(_ realm: Realm, _ search: String, isFilled: Bool = true) -> [Int] {
    let notes = realm.objects(TextNote.self)
    let found = notes.where { $0.text.text(search) }.map(\.id)
    if isFilled {
      #expect(Array(found) == Array(notes.where { $0.plain.text(search) }.map(\.id)), "\(search)")
    }
    #expect(Array(found) == Array(notes.filter("text TEXT %@", search).map(\.id)), "\(search)")
    return Array(found)
  }

  @Test func `words are found whatever their case and diacritics`() throws {
    let realm = try filled()
    #expect(ids(realm, "brown") == [0, 1])
    #expect(ids(realm, "BROWN fox") == [0])
    #expect(ids(realm, "fox*") == [0, 1])
    #expect(ids(realm, "quick") == [0, 4])
    #expect(ids(realm, "quick*  -lazy") == [4])
    #expect(ids(realm, "grosse strasse") == [3])
    #expect(ids(realm, "cafe 12") == [3])
    #expect(ids(realm, "京") == [5])
    #expect(ids(realm, "東京 tower") == [5])
    #expect(ids(realm, "internationalisation -internationalization") == [])
    #expect(ids(realm, "internationali*") == [6])
    #expect(ids(realm, "internationalisations") == [], "more than the first letters count")
    #expect(ids(realm, "-quick") == [1, 2, 3, 5, 6])
    #expect(ids(realm, "") == Array(0..<7))
    #expect(ids(realm, "witted-quick") == [4])
  }

  @Test func `searches go through links and collections, and join other conditions`() throws {
    let realm = try filled()
    let notes = realm.objects(TextNote.self)
    try realm.write { notes[2].next = notes[0] }
    #expect(notes.where { $0.next.text.text("fox") }.map(\.id) == [2])
    #expect(notes.filter("ANY lines TEXT 'brown'").map(\.id) == [0, 1])
    #expect(notes.where { $0.remark.text("quick*") && $0.id > 1 }.map(\.id) == [])
    #expect(notes.where { $0.remark.text("and") }.map(\.id) == [1])
    #expect(notes.where { !$0.text.text("quick") }.count == 5)
    let query = Query<TextNote>._constructForTesting().text.text("a b*")
    #expect(query._constructPredicate().0 == "(text TEXT %@)")
  }

  @Test func `the index follows each change, and the file is sound`() throws {
    let realm = try filled()
    let notes = realm.objects(TextNote.self)
    try realm.write {
      notes[0].text = "nothing brown any more"
      notes[1].text = ""
      notes[3].remark = nil
      notes[2].remark = "brown at last"
      realm.delete(notes.where { $0.id == 4 })
    }
    #expect(ids(realm, "brown", isFilled: false) == [0])
    #expect(ids(realm, "fox*", isFilled: false) == [])
    #expect(notes.where { $0.remark.text("brown") }.map(\.id) == [1, 2])
    #expect(notes.where { $0.remark.text("und") }.count == 0)
    try realm.write {
      for id in 100..<400 {
        realm.create(TextNote.self, value: ["id": id, "text": "word\(id) all"])
      }
    }
    #expect(ids(realm, "word250", isFilled: false) == [250])
    #expect(ids(realm, "all -word1*", isFilled: false).count == 200)
    try realm.write { realm.delete(notes.where { $0.id < 300 }) }
    #expect(ids(realm, "all", isFilled: false).count == 100)
    let problems = try check(realm)
    #expect(problems.isEmpty, "\(problems)")
  }

  @Test func `a search by the index says so, and looks at few objects`() throws {
    let realm = try filled()
    try realm.write {
      for id in 100..<400 {
        realm.create(TextNote.self, value: ["id": id, "text": "word\(id) all"])
      }
    }
    let notes = realm.objects(TextNote.self)
    let found = notes.where { $0.text.text("word123 all") }.sorted(
      byKeyPath: "id", ascending: false)
    #expect(
      found.explain()
        == "TextNote: index of 'text' names about 1 objects, each is tested\n"
        + "sort by id (descending)"
    )
    #expect(notes.where { $0.plain.text("word123") }.explain() == "TextNote: scan of 307 objects")
    #expect(notes.explain() == "TextNote: all 307 objects")
    #expect(notes.where { $0.id == 3 }.explain() == "TextNote: index of 'id' names about 1 objects")
    #expect(
      notes.filter("id > 5 DISTINCT(plain) LIMIT(2)").explain().hasSuffix(
        "\ndistinct by plain\nlimit to 2"))
  }

  private func check(_ realm: Realm) throws -> [String] {
    let view = realm.instance.view
    return StoreCheck.findings(root: view.root, in: view.source).map(\.description)
  }
}
