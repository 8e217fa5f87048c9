import Testing

@testable import ObjectStore
@testable import Storage

/// Embedded objects: one owner each, with which they go.
@Suite struct EmbeddedTests {
  static let house = TableKey(rawValue: 0)
  static let room = TableKey(rawValue: 1)

  static let schema = SchemaDescription(classes: [
    ClassDescription(
      name: "House",
      properties: [
        PropertyDescription(name: "hall", kind: .object, linkTarget: "Room"),
        PropertyDescription(name: "rooms", kind: .object, collection: .list, linkTarget: "Room"),
        PropertyDescription(name: "named", kind: .object, collection: .map, linkTarget: "Room"),
      ]),
    ClassDescription(
      name: "Room",
      properties: [
        PropertyDescription(name: "size", kind: .int, isIndexed: true),
        PropertyDescription(name: "next", kind: .object, linkTarget: "Room"),
        PropertyDescription(name: "niches", kind: .object, collection: .list, linkTarget: "Room"),
        PropertyDescription(name: "view", kind: .object, linkTarget: "House"),
      ], isEmbedded: true),
  ])

  private static func property(_ name: String, of table: TableKey) -> PropertyDescription {
    stored.classes[Int(table.rawValue)].property(named: name)!
  }

  /// The schema with its keys.
  private static let stored: SchemaDescription = {
    let store = try! ScratchStore()
    try! store.write { _ = try $0.apply(schema) }
    return try! store.schema.description
  }()

  private static func column(_ name: String, of table: TableKey) -> ColumnKey {
    property(name, of: table).columnKey
  }

  static let hall = column("hall", of: house)
  static let rooms = column("rooms", of: house)
  static let named = property("named", of: house)
  static let next = column("next", of: room)
  static let niches = column("niches", of: room)
  static let view = column("view", of: room)

  /// A store with a house.
  private func store() throws -> (ScratchStore, ObjectKey) {
    let store = try ScratchStore()
    let key = try store.write { transaction in
      try transaction.apply(Self.schema)
      return try transaction.createObject(in: Self.house)
    }
    return (store, key)
  }

  private func roomKeys(_ store: ScratchStore) throws -> [Int64] {
    try store.table(Self.room).allKeys().map(\.rawValue)
  }

  @Test func theStoredSchemaSaysThatAClassIsEmbedded() throws {
    let (store, _) = try store()
    #expect(try store.schema.description.classes.map(\.isEmbedded) == [false, true])
  }

  @Test func anEmbeddedObjectGoesWhenItsLinkIsSetOrRemoved() throws {
    let (store, house) = try store()
    let first = try store.write {
      try $0.createEmbedded(Self.hall, of: house, in: Self.house)
    }
    store.expectSound()
    let second = try store.write {
      try $0.createEmbedded(Self.hall, of: house, in: Self.house)
    }
    #expect(second > first)
    #expect(try roomKeys(store) == [second.rawValue])
    store.expectSound()
    try store.write { try $0.setLink(second, Self.hall, of: house, in: Self.house) }
    #expect(try roomKeys(store) == [second.rawValue])
    try store.write { try $0.setNull(Self.hall, of: house, in: Self.house) }
    #expect(try roomKeys(store).isEmpty)
    store.expectSound()
  }

  @Test func theOwnersEndIsTheEmbeddedObjectsEnd() throws {
    let (store, house) = try store()
    try store.write { transaction in
      try transaction.createEmbedded(Self.hall, of: house, in: Self.house)
      try transaction.listInsertEmbedded(count: 3, at: 0, Self.rooms, of: house, in: Self.house)
      try transaction.mapSetEmbedded(forKey: "attic", Self.named, of: house, in: Self.house)
    }
    #expect(try roomKeys(store).count == 5)
    let changes = try store.commit(
      {
        let transaction = try store.begin()
        try transaction.deleteObject(house, in: Self.house)
        return transaction
      }())
    #expect(try roomKeys(store).isEmpty)
    #expect(changes.changes(in: Self.room).map { Array($0.deletions).count } == 5)
    store.expectSound()
  }

  @Test func listsAndMapsLetEmbeddedObjectsGoWithTheirElements() throws {
    let (store, house) = try store()
    try store.write { transaction in
      try transaction.listInsertEmbedded(count: 6, at: 0, Self.rooms, of: house, in: Self.house)
      try transaction.mapSetEmbedded(forKey: "b", Self.named, of: house, in: Self.house)
      try transaction.mapSetEmbedded(forKey: "a", Self.named, of: house, in: Self.house)
    }
    #expect(try roomKeys(store) == Array(0..<8))
    store.expectSound()
    let set = try store.write { transaction in
      try transaction.listMove(from: 0, to: 5, Self.rooms, of: house, in: Self.house)
      try transaction.listSwap(0, 4, Self.rooms, of: house, in: Self.house)
      try transaction.listRemove(1..<3, Self.rooms, of: house, in: Self.house)
      return try transaction.listSetEmbedded(at: 0, Self.rooms, of: house, in: Self.house)
    }
    // 5 2 3 4 1 0, without 2 and 3, and 5 replaced.
    #expect(try roomKeys(store) == [0, 1, 4, 6, 7, set.rawValue])
    store.expectSound()
    let again = try store.write { transaction in
      try transaction.mapRemove("b", Self.named, of: house, in: Self.house)
      try transaction.listClear(Self.rooms, of: house, in: Self.house)
      return try transaction.mapSetEmbedded(forKey: "a", Self.named, of: house, in: Self.house)
    }
    #expect(try roomKeys(store) == [again.rawValue])
    try store.write {
      try $0.mapSet(.null, forKey: "a", Self.named, of: house, in: Self.house)
    }
    #expect(try roomKeys(store).isEmpty)
    store.expectSound()
  }

  @Test func deletingAnEmbeddedObjectTakesItOutOfItsOwner() throws {
    let (store, house) = try store()
    let first = try store.write { transaction in
      try transaction.mapSetEmbedded(forKey: "attic", Self.named, of: house, in: Self.house)
      return try transaction.listInsertEmbedded(
        count: 2, at: 0, Self.rooms, of: house, in: Self.house)
    }
    try store.write { transaction in
      try transaction.deleteObject(first, in: Self.room)
      try transaction.deleteObject(ObjectKey(rawValue: 0), in: Self.room)
    }
    let (list, values) = try {
      let table = try store.table(Self.house)
      let position = try #require(try table.find(house))
      return (
        try table.list(of: Self.property("rooms", of: Self.house), at: position),
        try table.list(of: Self.named, at: position)
      )
    }()
    #expect(try list.allLinks() == [ObjectKey(rawValue: first.rawValue + 1)])
    #expect(try values.allValues() == [.null])
    store.expectSound()
  }

  @Test func aLinkOutOfAnEmbeddedObjectOwnsNothing() throws {
    let (store, house) = try store()
    try store.write { transaction in
      let hall = try transaction.createEmbedded(Self.hall, of: house, in: Self.house)
      try transaction.setLink(house, Self.view, of: hall, in: Self.room)
    }
    try store.write { try $0.setNull(Self.hall, of: house, in: Self.house) }
    #expect(try store.table(Self.house).count == 1)
    store.expectSound()
  }

  /// A thread of tests has half a megabyte of stack.
  @Test func aLongChainGoesWithItsOwner() throws {
    let (store, house) = try store()
    let length = 100_000
    let transaction = try store.begin()
    var last = try transaction.createEmbedded(Self.hall, of: house, in: Self.house)
    for _ in 1..<length {
      last = try transaction.createEmbedded(Self.next, of: last, in: Self.room)
    }
    try store.commit(transaction, checkingFreed: false)
    #expect(try store.table(Self.room).count == length)
    store.expectSound()
    let end = try store.begin()
    try end.deleteObject(house, in: Self.house)
    try store.commit(end, checkingFreed: false)
    #expect(try store.table(Self.room).count == 0)
    store.expectSound()
  }

  @Test func deletingAllObjectsOfAClassDeletesWhatTheyOwn() throws {
    let (store, _) = try store()
    try store.write { transaction in
      for _ in 0..<20 {
        let house = try transaction.createObject(in: Self.house)
        let room = try transaction.listInsertEmbedded(
          count: 12, at: 0, Self.rooms, of: house, in: Self.house)
        try transaction.listInsertEmbedded(count: 2, at: 0, Self.niches, of: room, in: Self.room)
      }
    }
    #expect(try store.table(Self.room).count == 280)
    try store.write { transaction in
      let rooms = try transaction.table(Self.room).allKeys()
      // Owners and what they own, at once.
      try transaction.deleteObjects(Array(rooms.prefix(30)), in: Self.room)
    }
    store.expectSound()
    try store.write { try $0.deleteAllObjects(in: Self.house) }
    #expect(try store.table(Self.room).count == 0)
    store.expectSound()
  }

  @Test func theCheckFindsEmbeddedObjectsWithoutOneOwner() throws {
    let (store, house) = try store()
    let transaction = try store.begin()
    _ = try transaction.appendObject(try transaction.tables.open(Self.room))
    let shared = try transaction.createEmbedded(Self.hall, of: house, in: Self.house)
    let state = try transaction.tables.open(Self.house)
    try transaction.insertElements(
      [.link(Self.room, shared)], at: 0, state.pointee.columns[Self.rooms.slot], Self.rooms, house,
      in: Self.house)
    let findings = StoreCheck.findings(root: transaction.tables.root, in: transaction.source)
    #expect(
      findings.map(\.description) == [
        "Room[0]: an embedded object belongs to 0 links",
        "Room[1]: an embedded object belongs to 2 links",
      ])
  }

  @Test func anEmbeddedObjectCannotBeMadeOrLinkedByItself() async {
    await #expect(processExitsWith: .failure) {
      let store = try ScratchStore()
      let transaction = try store.begin()
      try transaction.apply(EmbeddedTests.schema)
      try transaction.createObject(in: EmbeddedTests.room)
    }
    await #expect(processExitsWith: .failure) {
      let store = try ScratchStore()
      let transaction = try store.begin()
      try transaction.apply(EmbeddedTests.schema)
      let house = try transaction.createObject(in: EmbeddedTests.house)
      let room = try transaction.createEmbedded(
        EmbeddedTests.hall, of: house, in: EmbeddedTests.house)
      try transaction.listInsert(
        .link(EmbeddedTests.room, room), at: 0, EmbeddedTests.rooms, of: house,
        in: EmbeddedTests.house)
    }
  }

  @Test func schemasThatEmbeddedObjectsDoNotAllowAreRefused() throws {
    func refusal(_ change: (inout SchemaDescription) -> Void) throws -> String? {
      let store = try ScratchStore()
      var schema = Self.schema
      change(&schema)
      let transaction = try store.begin()
      do throws(StorageError) {
        try transaction.apply(schema)
        return nil
      } catch { return error.message }
    }
    #expect(
      try refusal {
        $0.classes[0].properties.append(
          PropertyDescription(name: "set", kind: .object, collection: .set, linkTarget: "Room"))
      }?.contains("House.set is a set of embedded objects") == true)
    #expect(
      try refusal {
        $0.classes[1].properties.append(
          PropertyDescription(name: "id", kind: .int, isPrimaryKey: true))
      }?.contains("Room is embedded and cannot have a primary key") == true)
    let (store, _) = try store()
    let transaction = try store.begin()
    var changed = Self.schema
    changed.classes[1].isEmbedded = false
    let error = #expect(throws: StorageError.self) { try transaction.apply(changed) }
    #expect(error?.message == "a migration is needed: Room: was embedded, is top-level")
  }
}
