import Foundation
import RealmSwift

/// What one writer has written; written in the same transactions.
final class KillTally: Object {
  @Persisted(primaryKey: true) var writer: Int
  /// Of its transactions.
  @Persisted var count: Int
  /// The last of its notes.
  @Persisted var kept: List<KillNote>
}

/// One transaction of a writer. All that it holds follows from its identifier.
final class KillNote: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var writer: Int
  @Persisted(indexed: .fullText) var text: String
  @Persisted var body: Data
  @Persisted var marks: Map<String, Int>
  @Persisted var content: AnyRealmValue
  @Persisted var previous: KillNote?
  @Persisted(originProperty: "kept") var tally: LinkingObjects<KillTally>
}

/// What writers do to a file of notes, and what readers expect of it.
enum KillNotes {
  static let keptMax = 40
  static let types: [ObjectBase.Type] = [KillTally.self, KillNote.self]

  static func id(_ writer: Int, _ count: Int) -> Int { count * 16 + writer }

  private static func body(_ id: Int) -> Data {
    // Of a few bytes, and of more than a leaf takes.
    Data(repeating: UInt8(truncatingIfNeeded: id &* 31), count: id % 7 == 0 ? 20_000 : id % 300)
  }

  /// How many transactions of a writer are stored.
  static func count(_ realm: Realm, _ writer: Int) -> Int {
    realm.object(ofType: KillTally.self, forPrimaryKey: writer)?.count ?? 0
  }

  /// One more transaction's worth. Within a write.
  static func append(_ realm: Realm, _ writer: Int) {
    let tally =
      realm.object(ofType: KillTally.self, forPrimaryKey: writer)
      ?? realm.create(KillTally.self, value: ["writer": writer])
    tally.count += 1
    let id = id(writer, tally.count)
    let note = realm.create(
      KillNote.self,
      value: [
        "id": id, "writer": writer, "text": "note word\(id)", "body": body(id),
        "marks": ["id": id, "twice": 2 * id], "content": [id, ["in": "\(id)"]] as [Any],
      ] as [String: Any])
    note.previous = tally.kept.last
    tally.kept.append(note)
    if tally.kept.count > keptMax { realm.delete(tally.kept[0]) }
  }

  /// What is wrong with what is there; nil for nothing.
  static func fault(_ realm: Realm) -> String? {
    var total = 0
    for tally in realm.objects(KillTally.self) {
      total += tally.kept.count
      if let fault = fault(realm, tally) { return "writer \(tally.writer): \(fault)" }
    }
    let notes = realm.objects(KillNote.self)
    return notes.count == total ? nil : "\(notes.count) notes, \(total) in lists"
  }

  private static func fault(_ realm: Realm, _ tally: KillTally) -> String? {
    let (writer, count) = (tally.writer, tally.count)
    guard tally.kept.count == min(count, keptMax) else { return "\(tally.kept.count) of \(count)" }
    var previous: KillNote?
    for (index, note) in tally.kept.enumerated() {
      let id = id(writer, count - tally.kept.count + 1 + index)
      guard note.id == id, note.writer == writer, note.text == "note word\(id)",
        note.body == body(id), note.marks["id"] == id, note.marks["twice"] == 2 * id,
        note.content.listValue?[1].dictionaryValue?["in"] == .string("\(id)"),
        note.previous?.id == previous?.id, note.tally.first?.writer == writer
      else { return "note \(id) is \(note)" }
      previous = note
    }
    let notes = realm.objects(KillNote.self)
    guard notes.where({ $0.writer == writer }).count == tally.kept.count else {
      return "the index has \(notes.where { $0.writer == writer }.count) notes of \(count)"
    }
    guard let previous else { return nil }
    let found = notes.where { $0.text.text("word\(previous.id)") }.map(\.id)
    return Array(found) == [previous.id] ? nil : "words lead to \(found), not \(previous.id)"
  }
}
