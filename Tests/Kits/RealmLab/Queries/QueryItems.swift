import Foundation
import RealmSwift
import TestSupport

/// What random queries are about, with indexes.
final class IndexedItem: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var number: Int
  @Persisted(indexed: true) var maybe: Int?
  @Persisted var real: Double
  @Persisted(indexed: true) var text: String
  @Persisted(indexed: true) var word: String?
  @Persisted(indexed: .fullText) var note: String
  @Persisted(indexed: true) var day: Date?
  @Persisted(indexed: true) var flag: Bool
  @Persisted(indexed: true) var mixed: AnyRealmValue
  @Persisted var other: IndexedItem?
  @Persisted var parts: List<IndexedItem>
  @Persisted var numbers: List<Int>
  @Persisted var words: MutableSet<String>
  @Persisted var scores: Map<String, Int>
}

/// The same without.
final class BareItem: Object {
  @Persisted var id: Int
  @Persisted var number: Int
  @Persisted var maybe: Int?
  @Persisted var real: Double
  @Persisted var text: String
  @Persisted var word: String?
  @Persisted var note: String
  @Persisted var day: Date?
  @Persisted var flag: Bool
  @Persisted var mixed: AnyRealmValue
  @Persisted var other: BareItem?
  @Persisted var parts: List<BareItem>
  @Persisted var numbers: List<Int>
  @Persisted var words: MutableSet<String>
  @Persisted var scores: Map<String, Int>
}

/// The same as plain values; related items by their places.
struct PlainItem {
  var id = 0
  var number = 0
  var maybe: Int?
  var real = 0.0
  var text = ""
  var word: String?
  var note = ""
  var day: Date?
  var flag = false
  var mixed = PlainMixed.none
  var other: Int?
  var parts: [Int] = []
  var numbers: [Int] = []
  var words: Set<String> = []
  var scores: [String: Int] = [:]

  static let texts = ["", "a", "ab", "Ab", "AB", "b", "bá", "BÁ", "ba", "abab", "ß"]
  static let notes = ["red", "Red fox", "fox, blue", "blue-red", "foxes", "", "bleu rouge"]
  static let keys = ["k", "l", "m"]

  init(id: Int, of count: Int, _ random: inout SeededGenerator) {
    func below(_ count: Int) -> Int { random.below(count) }
    self.id = id
    number = below(10)
    maybe = below(3) == 0 ? nil : below(10)
    real = Double(below(21) - 10) / 4
    text = Self.texts[below(Self.texts.count)]
    word = below(3) == 0 ? nil : Self.texts[below(Self.texts.count)]
    note = Self.notes[below(Self.notes.count)]
    day = below(4) == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(below(10)) * 86_400)
    flag = below(2) == 0
    mixed = PlainMixed(&random)
    other = below(3) == 0 ? nil : below(count)
    parts = (0..<below(4)).map { _ in below(count) }
    numbers = (0..<below(4)).map { _ in below(10) }
    words = Set((0..<below(3)).map { _ in Self.texts[below(Self.texts.count)] })
    for key in Self.keys where below(2) == 0 { scores[key] = below(10) }
  }
}
