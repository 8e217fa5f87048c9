import Foundation
import RealmSwift
import TestSupport
import Testing

final class Shelf: Object {
  @Persisted var name: String
  @Persisted var numbers: MutableSet<Int>
  @Persisted var words: MutableSet<String>
  @Persisted var optionalWords: MutableSet<String?>
  @Persisted var doubles: MutableSet<Double>
  @Persisted var decimals: MutableSet<Decimal128>
  @Persisted var dates: MutableSet<Date>
  @Persisted var blobs: MutableSet<Data>
  @Persisted var ids: MutableSet<ObjectId>
  @Persisted var uuids: MutableSet<UUID>
  @Persisted var flags: MutableSet<Bool>
  @Persisted var colours: MutableSet<Colour>
  @Persisted var anything: MutableSet<AnyRealmValue>
  @Persisted var items: MutableSet<ShelfItem>
}

final class ShelfItem: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var label: String
  @Persisted(originProperty: "items") var shelves: LinkingObjects<Shelf>

  convenience init(_ id: Int, _ label: String = "") {
    self.init()
    self.id = id
    self.label = label
  }
}

@Suite struct MutableSetTests {
  let observatory = Observatory([Shelf.self, ShelfItem.self])
  var file: TemporaryRealm { observatory.file }

  @Test(arguments: [false, true])
  func `holds each value once, managed or not`(isManaged: Bool) throws {
    let realm = try file.open()
    let shelf = Shelf()
    try realm.write {
      if isManaged { realm.add(shelf) }
      shelf.words.insert("b")
      shelf.words.insert(objectsIn: ["a", "b", "c", "a"])
      #expect(Set(shelf.words) == ["a", "b", "c"] && shelf.words.count == 3)
      #expect(shelf.words.contains("c") && !shelf.words.contains("d"))
      shelf.words.remove("b")
      shelf.words.remove("none")
      #expect(Set(shelf.words) == ["a", "c"])
      #expect(shelf.words.index(of: "c") == 1 && shelf.words[0] == "a")
      shelf.words.insert(objectsIn: shelf.words)
      #expect(shelf.words.count == 2)
      shelf.words.removeAll()
      #expect(shelf.words.isEmpty)
    }
  }

  /// What a set contains has a place in it, by the same rules: numbers by value whatever their
  /// types, and not-a-number is equal to itself.
  @Test(arguments: [false, true])
  func `every element has a place`(isManaged: Bool) throws {
    let realm = try file.open()
    let shelf = Shelf()
    try realm.write {
      if isManaged { realm.add(shelf) }
      shelf.doubles.insert(objectsIn: [2, .nan, -1])
      shelf.anything.insert(objectsIn: [.int(7), .string("a"), .double(.nan), .none])
    }
    for index in 0..<3 { #expect(shelf.doubles.index(of: shelf.doubles[index]) == index) }
    for index in 0..<4 { #expect(shelf.anything.index(of: shelf.anything[index]) == index) }
    let seven = try #require(shelf.anything.index(of: .double(7)))
    #expect(shelf.anything[seven] == .int(7))
    #expect(shelf.doubles.index(of: 3) == nil && shelf.anything.index(of: .string("b")) == nil)
    guard isManaged else { return }
    let results = AnyRealmCollection(shelf.doubles)
    for index in 0..<3 { #expect(results.index(of: results[index]) == index) }
  }

  @Test(arguments: [false, true])
  func `compares and combines with other sets`(isManaged: Bool) throws {
    let realm = try file.open()
    let (first, second) = (Shelf(), Shelf())
    try realm.write {
      if isManaged { realm.add([first, second]) }
      first.numbers.insert(objectsIn: [1, 2, 3, 4])
      second.numbers.insert(objectsIn: [3, 4])
      #expect(second.numbers.isSubset(of: first.numbers))
      #expect(!first.numbers.isSubset(of: second.numbers))
      #expect(first.numbers.intersects(second.numbers))
      second.numbers.insert(5)
      first.numbers.formIntersection(second.numbers)
      #expect(Set(first.numbers) == [3, 4])
      first.numbers.formUnion(second.numbers)
      #expect(Set(first.numbers) == [3, 4, 5])
      first.numbers.subtract(second.numbers)
      #expect(first.numbers.isEmpty && !first.numbers.intersects(second.numbers))
      second.numbers.subtract(second.numbers)
      #expect(second.numbers.isEmpty)
    }
  }

  @Test func `every kind of element comes back after reopening`() throws {
    let (id, uuid, date) = (ObjectId.generate(), UUID(), Date(timeIntervalSince1970: 5))
    do {
      let realm = try file.open()
      try realm.write {
        realm.create(
          Shelf.self,
          value: [
            "numbers": [3, 1, 3], "optionalWords": ["x", nil, "x", nil] as [String?],
            "doubles": [2.5, .nan, -0.0, 0, .nan], "dates": [date, date], "blobs": [Data([1])],
            "decimals": [try Decimal128(string: "1.0"), try Decimal128(string: "1.00")],
            "ids": [id, id], "uuids": [uuid], "flags": [true, false, true],
            "colours": [Colour.green, .red, .green],
            "anything": [AnyRealmValue.int(1), .double(1), .string("1"), .bool(true), .none],
            "items": [ShelfItem(1), ShelfItem(2)],
          ] as [String: Any])
      }
    }
    let shelf = try #require(try file.open().objects(Shelf.self).first)
    #expect(Array(shelf.numbers) == [1, 3])
    #expect(Array(shelf.optionalWords) == [nil, "x"])
    #expect(shelf.doubles.count == 3 && shelf.doubles.contains(.nan) && shelf.doubles.contains(0))
    #expect(shelf.decimals.count == 1 && shelf.decimals.contains(1))
    #expect(Array(shelf.dates) == [date] && Array(shelf.blobs) == [Data([1])])
    #expect(Array(shelf.ids) == [id] && Array(shelf.uuids) == [uuid])
    #expect(Array(shelf.flags) == [false, true] && Array(shelf.colours) == [.red, .green])
    #expect(shelf.anything.count == 4 && shelf.anything.contains(.double(1)))
    #expect(Array(shelf.items.map(\.id)) == [1, 2])
  }

  @Test func `objects are linked to, once, and leave when they are deleted`() throws {
    let realm = try file.open()
    let (shelf, item) = (Shelf(), ShelfItem(1, "one"))
    try realm.write {
      realm.add(shelf)
      shelf.items.insert(item)
      shelf.items.insert(item)
      shelf.items.insert(ShelfItem(2, "two"))
    }
    #expect(shelf.items.count == 2 && item.shelves.count == 1)
    #expect(!shelf.items.contains(ShelfItem(9)))
    #expect(realm.objects(ShelfItem.self).count == 2)
    try realm.write { realm.delete(item) }
    #expect(Array(shelf.items.map(\.label)) == ["two"])
    try realm.write { realm.delete(shelf.items) }
    #expect(shelf.items.isEmpty && realm.objects(ShelfItem.self).isEmpty)
  }

  @Test func `is assigned by content`() throws {
    let realm = try file.open()
    let (first, second) = (Shelf(), Shelf())
    first.words.insert(objectsIn: ["a", "b"])
    try realm.write {
      realm.add([first, second])
      second.words = first.words
      first.words.insert("c")
      first.words = first.words
    }
    #expect(Set(second.words) == ["a", "b"] && first.words.count == 3)
  }

  @Test func `is filtered, sorted and added up as results are`() throws {
    let realm = try file.open()
    let shelf = Shelf()
    try realm.write {
      realm.add(shelf)
      shelf.numbers.insert(objectsIn: [5, 2, 9])
      shelf.items.insert(objectsIn: [ShelfItem(1, "b"), ShelfItem(2, "a"), ShelfItem(3, "c")])
    }
    #expect(shelf.numbers.max() == 9 && shelf.numbers.sum() == 16)
    #expect(Array(shelf.numbers.sorted(ascending: false)) == [9, 5, 2])
    #expect(shelf.items.where { $0.label != "b" }.sorted(by: \.label).map(\.id) == [2, 3])
    #expect(realm.objects(Shelf.self).where { $0.numbers.contains(9) }.count == 1)
    #expect(realm.objects(Shelf.self).where { $0.items.label == "zz" }.isEmpty)
    #expect(realm.objects(Shelf.self).filter("ANY numbers > 8 AND items.@count == 3").count == 1)
    #expect(realm.schema["Shelf"]?["numbers"]?.isSet == true)
  }

  @Test func `stays as it was when frozen, and crosses threads by a reference`() async throws {
    let realm = try file.open()
    let shelf = Shelf()
    try realm.write {
      realm.add(shelf)
      shelf.numbers.insert(objectsIn: [1, 2])
    }
    let frozen = shelf.numbers.freeze()
    let reference = ThreadSafeReference(to: shelf.numbers)
    try realm.write { shelf.numbers.remove(1) }
    #expect(Set(frozen) == [1, 2] && frozen.thaw()?.count == 1)
    observatory.run { [observatory] realm in
      observatory.tell("\(realm.resolve(reference).map { Array($0) } ?? [])")
    }
    #expect(await observatory.next() == "[2]")
  }

  @Test func `tells what changed`() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      let shelf = Shelf()
      try realm.write {
        realm.add(shelf)
        shelf.numbers.insert(objectsIn: [10, 20, 30])
        shelf.items.insert(objectsIn: [ShelfItem(1), ShelfItem(2)])
      }
      box.token = shelf.numbers.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      let shelf = realm.objects(Shelf.self)[0]
      shelf.numbers.insert(objectsIn: [15, 20])
      shelf.numbers.remove(30)
    }
    #expect(await observatory.next() == "[2] [1] []")
    observatory.run { [observatory] realm in
      box.token = realm.objects(Shelf.self)[0].items.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in realm.objects(ShelfItem.self)[1].label = "new" }
    #expect(await observatory.next() == "[] [] [1]")
  }

  @Test func `is changed within write transactions only`() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm([Shelf.self, ShelfItem.self]).open()
      let shelf = Shelf()
      try realm.write { realm.add(shelf) }
      shelf.numbers.insert(1)
    }
  }

  /// Random changes, against Swift's own set.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `does as a set of Swift's does`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let realm = try file.open()
    let shelf = Shelf()
    var model: Set<Int> = []
    try realm.write { realm.add(shelf) }
    for step in 0..<40 {
      try realm.write {
        for _ in 0..<30 {
          let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Int.random(in: 0..<2000, using: &random)
          }
          switch Int.random(in: 0..<20, using: &random) {
          case 0..<12:
            shelf.numbers.insert(objectsIn: values)
            model.formUnion(values)
          case 12..<19:
            for value in values { shelf.numbers.remove(value) }
            model.subtract(values)
          default:
            shelf.numbers.removeAll()
            model = []
          }
        }
      }
      #expect(Array(shelf.numbers) == model.sorted(), "seed \(seed), step \(step)")
    }
  }
}
