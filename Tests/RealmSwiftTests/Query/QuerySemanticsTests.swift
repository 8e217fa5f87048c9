import Foundation
import RealmSwift
import Testing

final class SemanticsItem: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var word: String?
  @Persisted var name: String
  @Persisted(indexed: true) var number: Int?
  @Persisted var double: Double
  @Persisted var otherDouble: Double
  @Persisted var float: Float
  @Persisted var date: Date
  @Persisted var mixed: AnyRealmValue
  @Persisted var link: SemanticsItem?
  @Persisted var kids: List<SemanticsItem>
  @Persisted var words: List<String>
  @Persisted var doubles: List<Double>
  @Persisted var numbers: List<Int>
}

/// What conditions mean where it could be otherwise.
@Suite struct QuerySemanticsTests {
  private let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [SemanticsItem.self]))
  }

  /// As many objects as wanted, with ids from 0 on.
  @discardableResult
  private func make(
    _ count: Int, _ fill: (Int, SemanticsItem) -> Void
  ) throws -> [SemanticsItem] {
    try realm.write {
      let items = (0..<count).map { id in
        realm.create(SemanticsItem.self, value: ["id": id])
      }
      for (id, item) in items.enumerated() { fill(id, item) }
      return items
    }
  }

  private var all: Results<SemanticsItem> { realm.objects(SemanticsItem.self) }

  private func ids(_ text: String, _ arguments: Any...) -> [Int] {
    all.filter(NSPredicate(format: text, argumentArray: arguments)).map(\.id)
  }

  private func ids(_ query: (Query<SemanticsItem>) -> Query<Bool>) -> [Int] {
    all.where(query).map(\.id)
  }

  @Test func `the smallest integer is compared with real numbers`() throws {
    try make(3) { id, item in
      item.double = [-0x1p63, 0, -.infinity][id]
      item.float = [-0x1p63, 0, -.infinity][id]
    }
    for name in ["double", "float"] {
      #expect(ids("\(name) == %@", Int64.min) == [0])
      #expect(ids("\(name) < %@", Int64.min) == [2])
      #expect(ids("\(name) > %@", Int64.min) == [1])
    }
  }

  @Test func `nil equals nil, also where less or greater would do`() throws {
    try make(2) { id, item in item.number = id == 0 ? nil : 5 }
    #expect(ids("number <= nil") == [0])
    #expect(ids("number >= nil") == [0])
    #expect(ids("number < nil") == [])
    #expect(ids("number > nil") == [])
    #expect(ids("number < 9") == [1])
  }

  @Test func `nil is below all strings of the object itself`() throws {
    let items = try make(3) { id, item in item.word = [nil, "", "a"][id] }
    #expect(ids("word < 'Z'") == [0, 1])
    #expect(ids("word <= ''") == [0, 1])
    #expect(ids("word > ''") == [2])
    #expect(ids("word >= nil") == [0, 1, 2])
    #expect(ids("word > nil") == [1, 2])
    #expect(ids("name >= nil") == [0, 1, 2])
    #expect(ids("word < nil") == [])
    try realm.write { for item in items { item.link = items[0] } }
    #expect(ids("link.word < 'Z'") == [], "not of one that it links to")
  }

  @Test func `everything contains nil, nothing the empty string`() throws {
    try make(3) { id, item in
      item.word = [nil, "", "a"][id]
      item.words.append(objectsIn: [[], ["a"], [""]][id])
    }
    for operation in ["CONTAINS", "BEGINSWITH", "ENDSWITH", "CONTAINS[c]"] {
      #expect(ids("word \(operation) nil") == [0, 1, 2])
      #expect(ids("word \(operation) ''") == [])
      #expect(ids("ANY words \(operation) nil") == [1, 2])
      #expect(ids("word \(operation) name") == [], "the names are empty")
    }
    #expect(ids("word LIKE nil") == [0])
    #expect(ids("word LIKE ''") == [1])
    #expect(ids("name CONTAINS word") == [0])
  }

  @Test func `not-a-number is below all numbers, and passed over by aggregates`() throws {
    let items = try make(3) { id, item in
      item.double = [.nan, 3, .nan][id]
      item.otherDouble = [.nan, 1, 1][id]
      item.float = id == 1 ? 3 : .nan
      item.mixed = .double(item.double)
      item.doubles.append(objectsIn: [item.double, item.otherDouble])
    }
    #expect(ids("double == otherDouble") == [0])
    #expect(ids("double < otherDouble") == [2])
    #expect(ids("double >= otherDouble") == [0, 1])
    #expect(ids("mixed < -100") == [0, 2])
    #expect(ids("mixed == %@", Double.nan) == [0, 2])
    #expect(ids("double == %@", Double.nan) == [], "not in a scan of a property")
    #expect(all.sum(of: \.double) == 3)
    #expect(all.max(of: \.double) == 3)
    #expect(all.min(of: \.double) == 3)
    #expect(all.average(of: \.double) == 3.0)
    #expect(all.average(of: \.float) == 3.0)
    #expect(all.filter("id != 1").max(of: \.double) == nil)
    #expect(all.filter("id != 1").average(of: \.double) as Double? == nil)
    #expect(ids("doubles.@sum == 4") == [1])
    #expect(ids("doubles.@max == nil") == [0])
    #expect(items[0].doubles.max() == nil)
    #expect(items[2].doubles.average() == 1.0)
    #expect(items[0].doubles.sum() == 0)
  }

  @Test func `not-a-number is found by no constant, in a vector of nothing else, too`() throws {
    _ = try make(300) { id, item in
      item.double = id < 256 ? .nan : 254
      item.float = id < 256 ? .nan : 254
    }
    #expect(all.max(of: \.double) == 254 && all.min(of: \.double) == 254)
    #expect(all.max(of: \.float) == 254 && all.min(of: \.float) == 254)
    #expect(all.filter("id < 256").max(of: \.double) == nil)
    for property in ["double", "float"] {
      let few = [Double.nan] + (0..<15).map(Double.init)
      let many = [Double.nan] + (0..<40).map(Double.init)
      #expect(ids("\(property) IN %@", few) == [])
      #expect(ids("\(property) IN %@", many) == [])
      #expect(ids("\(property) IN %@", many + [254]).count == 44)
      // Compared row by row, as the column's type does not hold them.
      for large in [1 << 24 + 1, 1 << 53 + 1] {
        #expect(ids("\(property) < %@", large).count == 44)
        #expect(ids("\(property) BETWEEN {%@, %@}", -large, large).count == 44)
        #expect(ids("\(property) != %@", large).count == 300)
      }
      #expect(ids("\(property) < %@", Decimal128(5)) == [])
    }
  }

  @Test func `a constant that is not-a-number is like nothing, of whatever kind it is`() throws {
    _ = try make(30) { id, item in
      item.double = id < 10 ? .nan : Double(id)
      item.float = id < 10 ? .nan : Float(id)
      item.number = id
      item.date = Date(timeIntervalSince1970: id < 10 ? .nan : Double(id))
    }
    let dates = (0..<20).map { Date(timeIntervalSince1970: $0 == 0 ? .nan : Double($0)) }
    #expect(ids("date IN %@", dates) == Array(10..<20))
    #expect(ids("NOT date IN %@", dates) == Array(0..<10) + Array(20..<30))
    for property in ["double", "float", "number"] {
      for constant: Any in [Double.nan, Float.nan, try Decimal128(string: "NaN")] {
        for comparison in ["==", "<", "<=", ">", ">="] {
          #expect(ids("\(property) \(comparison) %@", constant) == [])
        }
        #expect(ids("\(property) != %@", constant).count == 30)
        #expect(ids("NOT \(property) == %@", constant).count == 30)
        let constants: Any = [constant]
        #expect(ids("\(property) IN %@", constants) == [])
        #expect(ids("\(property) BETWEEN {%@, %@}", constant, 1 << 53 + 1) == [])
        #expect(ids("\(property) BETWEEN {%@, %@}", 0, constant) == [])
      }
    }
  }

  @Test func `values of any kind compare with their like`() throws {
    let values: [AnyRealmValue] = [
      .bool(true), .int(1), .string("1"), .data(Data("1".utf8)), .float(1), .none,
    ]
    try make(6) { id, item in item.mixed = values[id] }
    #expect(ids("mixed == true") == [0])
    #expect(ids("mixed == 1") == [1, 4])
    #expect(ids("mixed CONTAINS '1'") == [2])
    #expect(ids("mixed CONTAINS %@", Data("1".utf8)) == [3])
    #expect(ids("mixed <= 1") == [1, 4])
    #expect(all.sorted(by: \.mixed).map(\.id) == [5, 0, 1, 4, 2, 3])
    #expect(all.min(of: \.mixed) == .bool(true))
    #expect(all.max(of: \.mixed) == .data(Data("1".utf8)))
  }

  @Test func `links in values of any kind have an order`() throws {
    let items = try make(3) { _, _ in }
    try realm.write { for item in items { item.mixed = .object(items[2 - item.id]) } }
    #expect(all.sorted(by: \.mixed).map(\.id) == [2, 1, 0])
    #expect(ids("mixed < %@", items[1]) == [2])
    #expect(all.max(of: \.mixed)?.object(SemanticsItem.self)?.id == 2)
  }

  @Test func `what is behind a link to nothing is sorted last and never distinct`() throws {
    let items = try make(4) { id, item in item.number = [nil, 7, 5, nil][id] }
    try realm.write {
      items[0].link = items[1]
      items[1].link = items[3]
      items[3].link = items[2]
    }
    #expect(all.sorted(byKeyPath: "link.number").map(\.id) == [1, 3, 0, 2])
    #expect(all.sorted(byKeyPath: "link.number", ascending: false).map(\.id) == [2, 0, 3, 1])
    #expect(all.sorted(byKeyPath: "link.number").first?.id == 1)
    #expect(all.distinct(by: ["link.number"]).map(\.id) == [0, 1, 3])
  }

  @Test func `sorts and distinctions apply in the order of their calls`() throws {
    try make(6) { id, item in
      item.number = id % 2
      item.double = Double(5 - id)
    }
    let byDouble = all.sorted(byKeyPath: "double")
    #expect(byDouble.distinct(by: ["number"]).map(\.id) == [5, 4])
    #expect(all.distinct(by: ["number"]).sorted(byKeyPath: "double").map(\.id) == [1, 0])
    #expect(
      byDouble.sorted(byKeyPath: "number").map(\.id) == [4, 2, 0, 5, 3, 1],
      "a sort keeps the order of what is equal")
    #expect(
      byDouble.distinct(by: ["number"]).sorted(byKeyPath: "id").filter("id < 4").map(\.id)
        == [2, 3], "conditions come before all of them")
  }

  @Test func `case is folded for all of Unicode, in patterns too`() throws {
    try make(4) { id, item in item.name = ["ÄRGER", "ärger", "ΟΔΟΣ", "straße"][id] }
    #expect(ids("name ==[c] 'Ärger'") == [0, 1])
    #expect(ids("name LIKE[c] 'är*'") == [0, 1])
    #expect(ids("name CONTAINS[c] 'οδος'") == [2])
    #expect(ids("name LIKE[c] '*ΔΟσ'") == [2])
    #expect(ids("name ==[c] 'STRASSE'") == [3])
    #expect(ids("name LIKE[cd] 'arg?r'") == [0, 1])
  }

  @Test func `a float is compared with a decimal by its seven digits`() throws {
    try make(2) { id, item in item.float = [1.1, 16_777_216][id] }
    #expect(ids("float == %@", Decimal128(value: "1.1")) == [0])
    #expect(ids("float > %@", Decimal128(value: "1.1")) == [1])
    #expect(ids("float == %@", Decimal128(value: "16777220")) == [1])
  }

  @Test func `conditions on inner collections look at each of them`() throws {
    let items = try make(4) { _, _ in }
    try realm.write {
      items[0].kids.append(objectsIn: [items[1], items[2]])
      items[1].kids.append(items[3])
      items[2].kids.append(items[3])
      items[1].link = items[0]
    }
    #expect(ids("kids.kids.@count == 1") == [0])
    #expect(ids("kids.kids.@count == 2") == [])
    #expect(ids("link.kids.@count == 0") == [0, 2, 3])
    #expect(ids("ANY kids.link.number == nil") == [0], "the one that links, not those without")
    #expect(ids("ANY kids.link == nil") == [0, 1, 2])
    #expect(ids("ANY kids.kids.link.number == nil") == [])
  }

  @Test func `a collection of strings contains what its elements contain`() throws {
    try make(2) { id, item in
      item.words.append(objectsIn: [["abc", "x"], ["b"]][id])
      item.numbers.append(objectsIn: [[1, 9], [5]][id])
    }
    #expect(ids("words CONTAINS 'b'") == [0, 1])
    #expect(ids("'b' IN words") == [1])
    #expect(ids { $0.words.contains("b") } == [1])
    #expect(ids("numbers CONTAINS 5") == [1])
    #expect(ids("ANY numbers BETWEEN {4, 6}") == [0, 1], "one is above 4, another one below 6")
  }

  @Test func `objects that are in no realm equal nothing`() throws {
    let items = try make(2) { _, _ in }
    try realm.write { items[0].link = items[1] }
    let stranger = SemanticsItem()
    #expect(ids("link == %@", stranger) == [])
    #expect(ids("link != %@", stranger) == [0, 1])
    #expect(ids("link IN %@", [stranger]) == [])
    #expect(ids { $0.link == stranger } == [])
    #expect(all.index(of: stranger) == nil)
    #expect(items[0].kids.index(of: stranger) == nil)
  }

  @Test func `values of wrong kinds in a list are passed over`() throws {
    try make(2) { id, item in item.number = id }
    #expect(ids("number IN %@", [1, "x"] as [AnyHashable]) == [1])
    #expect(ids("number IN {'x', 0}") == [0])
  }
}
