import TestSupport
import Testing

@testable import ObjectStore
@testable import Storage

/// The check must find what is wrong, and misuse must trap.
@Suite struct RowsCheckTests {
  static let pet = TableKey(rawValue: 1)
  static let person = TableKey(rawValue: 0)

  private func store() throws -> (ScratchStore, [ObjectKey]) {
    let store = try ScratchStore()
    let keys = try store.write { transaction in
      try transaction.apply(everything())
      return try (0..<3).map {
        try transaction.createObject(in: RowsCheckTests.person, primaryKey: Int64($0)).key
      }
    }
    return (store, keys)
  }

  private func findings(_ transaction: ObjectTransaction) -> [String] {
    StoreCheck.findings(root: transaction.tables.root, in: transaction.source).map(\.description)
  }

  @Test func aLinkWithoutItsBacklinkIsFound() throws {
    let (store, keys) = try store()
    let transaction = try store.begin()
    let state = try transaction.tables.open(RowsCheckTests.person)
    try transaction.properties.storeLink(state, ColumnKey(rawValue: 1), keys[0], keys[1])
    #expect(
      findings(transaction) == [
        "Person[1].backlinks of Person.friend: object 0 links here, which is not noted"
      ]
    )
  }

  @Test func aBacklinkWithoutItsLinkIsFound() throws {
    let (store, keys) = try store()
    let transaction = try store.begin()
    let friend = transaction.schema.description.classes[0].properties[1]
    let hidden = try #require(
      transaction.schema.description.classes[0].backlinkColumn(
        from: RowsCheckTests.person, friend.columnKey))
    try transaction.links.addBacklink(RowsCheckTests.person, hidden, keys[2], from: keys[0])
    #expect(
      findings(transaction) == [
        "Person[2].backlinks of Person.friend: object 0 is noted, which does not link here"
      ]
    )
  }

  @Test func anIndexThatDisagreesWithItsColumnIsFound() throws {
    let (store, keys) = try store()
    let transaction = try store.begin()
    let state = try transaction.tables.open(RowsCheckTests.person)
    let spec = state.pointee.columns[0]
    try transaction.indexes.remove(state, spec, 1, keys[1])
    try transaction.indexes.insert(state, spec, 77, keys[1])
    #expect(
      findings(transaction) == [
        "Person[1].id: not in the index",
        "Person[1].id: in the index with a value that it does not have",
      ])
  }

  @Test func aWrongCountIsFound() throws {
    let (store, _) = try store()
    let transaction = try store.begin()
    try transaction.tables.open(RowsCheckTests.person).pointee.count = 4
    #expect(findings(transaction) == ["Person: 4 objects expected, 3 found"])
  }

  @Test func historyThatIsDamagedIsRefused() throws {
    let (store, keys) = try store()
    let transaction = try store.begin()
    let text = transaction.schema.description.classes[0].property(named: "strings")!.columnKey
    try transaction.listInsert(
      .string("a"), at: 0, text, of: keys[0], in: RowsCheckTests.person)
    try transaction.deleteObject(keys[2], in: RowsCheckTests.person)
    let bytes = transaction.history.encoded()
    for length in 1..<bytes.count {
      #expect(unsafe bytes[..<length].withUnsafeBytes { unsafe ChangeSet($0) } == nil)
    }
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      var damaged = bytes
      damaged[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
        in: 0...255, using: &generator)
      unsafe damaged.withUnsafeBytes { _ = unsafe ChangeSet($0) }
    }
    let merged = unsafe bytes.withUnsafeBytes { whole in
      unsafe [UInt8](bytes.dropLast()).withUnsafeBytes { unsafe ChangeSet.mergeEncoded(whole, $0) }
    }
    #expect(unsafe merged.withUnsafeBytes { unsafe ChangeSet($0) }?.schemaChanged == true)
  }

  @Test func namingAnObjectThatIsNotThereThrows() throws {
    let store = try ScratchStore()
    let transaction = try store.begin()
    try transaction.apply(everything())
    try transaction.createObject(in: RowsCheckTests.pet)
    let error = #expect(throws: StorageError.self) {
      try transaction.setString(
        "x", ColumnKey(rawValue: 0), of: ObjectKey(rawValue: 9), in: RowsCheckTests.pet)
    }
    #expect(error?.code == .corrupt)
  }

  @Test func nullInAPropertyThatIsNotOptionalTraps() async {
    await #expect(processExitsWith: .failure) {
      let store = try ScratchStore()
      let transaction = try store.begin()
      try transaction.apply(everything())
      let key = try transaction.createObject(in: RowsCheckTests.pet)
      try transaction.setNull(ColumnKey(rawValue: 0), of: key, in: RowsCheckTests.pet)
    }
  }

  @Test func aListIndexOutOfBoundsTraps() async {
    await #expect(processExitsWith: .failure) {
      let store = try ScratchStore()
      let transaction = try store.begin()
      try transaction.apply(everything())
      let key = try transaction.createObject(in: RowsCheckTests.pet)
      try transaction.listInsert(
        .link(RowsCheckTests.pet, key), at: 1, ColumnKey(rawValue: 2), of: key,
        in: RowsCheckTests.pet)
    }
  }
}
