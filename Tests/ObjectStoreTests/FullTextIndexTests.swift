import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

@Suite struct FullTextIndexTests {
  private static let small = TreeLimits(
    clusterRows: 8, innerChildren: 4, listElements: 4, pairEntries: 8)

  private func schema(isFullText: Bool, isIndexed: Bool = false) -> SchemaDescription {
    SchemaDescription(classes: [
      ClassDescription(
        name: "Note",
        properties: [
          PropertyDescription(
            name: "text", kind: .string, isOptional: true, isIndexed: isIndexed,
            isFullText: isFullText)
        ])
    ])
  }

  private static let words = [
    "red", "Red", "fox", "foxes", "bleu", "blåbær", "internationalisation",
    "internationalization", "1", "東京",
  ]

  private func text(_ random: inout SeededGenerator) -> StoredValue {
    if random.chance(6) { return .null }
    let count = random.chance(8) ? 60 : random.below(5)
    return .string(
      (0..<count).map { _ in Self.words[random.below(Self.words.count)] }.joined(separator: " "))
  }

  private let table = TableKey(rawValue: 0)

  private func check(
    _ store: ScratchStore, _ texts: [ObjectKey: StoredValue], isFullText: Bool
  ) throws {
    let view = try store.view
    store.expectSound()
    for search in [
      "red", "fox*", "red -fox", "inter* bleu", "blabaer", "京 1", "internationalisation",
    ] {
      let query = try CompiledQuery(
        QueryDescription(.table(table), where: .search(.path("text"), search)),
        schema: view.schema)
      #expect(query.probes.count == (isFullText ? 1 : 0))
      let matcher = TextSearch(search)
      let expected = texts.keys.sorted().filter { key in
        guard case .string(var text) = texts[key]! else { return false }
        return text.withUTF8 { unsafe matcher.matches(UnsafeRawBufferPointer($0)) }
      }
      #expect(try Array(query.evaluate(view)) == expected, "\(search)")
      #expect(try query.count(view) == expected.count, "\(search)")
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `words are kept by each change, and found`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let limits = seed == 3 ? TreeLimits.standard : Self.small
    let store = try ScratchStore(limits: limits, length: 1 << 28)
    try store.write { try $0.apply(schema(isFullText: true)) }
    let column = try #require(try store.schema.description.classes[0].property(named: "text"))
      .columnKey
    var texts: [ObjectKey: StoredValue] = [:]
    for round in 0..<8 {
      try store.write { transaction in
        for _ in 0..<60 {
          let key = try transaction.createObject(in: table)
          texts[key] = text(&random)
          try transaction.set(texts[key]!, column, of: key, in: table)
        }
        for key in texts.keys.sorted() where random.chance(5) {
          if random.chance(2) {
            texts[key] = text(&random)
            try transaction.set(texts[key]!, column, of: key, in: table)
          } else {
            texts[key] = nil
            try transaction.deleteObject(key, in: table)
          }
        }
        if round == 5 {
          // A good part of the table at once.
          let gone = texts.keys.sorted().filter { _ in random.chance(2) }
          try transaction.deleteObjects(gone, in: table)
          for key in gone { texts[key] = nil }
        }
      }
      try check(store, texts, isFullText: true)
    }
    // Without, as an index of whole strings, and again.
    for (isFullText, isIndexed) in [(false, false), (true, false), (false, true), (true, false)] {
      try store.write { try $0.apply(schema(isFullText: isFullText, isIndexed: isIndexed)) }
      try check(store, texts, isFullText: isFullText)
    }
  }

  @Test func `only strings are indexed by their words`() throws {
    let store = try ScratchStore(length: 1 << 24)
    let wrong = SchemaDescription(classes: [
      ClassDescription(
        name: "Note", properties: [PropertyDescription(name: "n", kind: .int, isFullText: true)])
    ])
    #expect(throws: (any Error).self) { try store.write { try $0.apply(wrong) } }
  }
}
