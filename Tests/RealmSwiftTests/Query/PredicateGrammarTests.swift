import Foundation
import RealmSwift
import Testing

final class GrammarOwner: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age: Int
  @Persisted var pets: List<GrammarPet>
}

final class GrammarPet: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var weight: Double
  @Persisted var size: Float
  @Persisted var price: Decimal128
  @Persisted var photo: Data?
  @Persisted var born: Date
  @Persisted var uuid: UUID
  @Persisted var mark: ObjectId
  @Persisted var any: AnyRealmValue
  @Persisted var friend: GrammarPet?
  @Persisted var friends: List<GrammarPet>
  @Persisted var scores: List<Int>
  @Persisted var words: List<String>
  @Persisted var toys: Map<String, Int>
  @Persisted var keepers: Map<String, GrammarOwner?>
  @Persisted(originProperty: "pets") var owners: LinkingObjects<GrammarOwner>
}

/// Predicate strings beyond the plainest, against what they select.
@Suite struct PredicateGrammarTests {
  private let realm: Realm

  /// Four pets, 0 to 3; Ada owns 0 and 1, Bo owns 3.
  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [GrammarOwner.self, GrammarPet.self]))
    try realm.write {
      let pets = (0..<4).map { id in
        let pet = realm.create(GrammarPet.self, value: ["id": id])
        pet.name = ["Rex", "Pip", "Tom", "Zoe"][id]
        pet.age = 2 * id
        pet.weight = [0.5, .infinity, 2.5, .nan][id]
        pet.size = Float(id) + 0.5
        pet.price = Decimal128(value: "\(id).25")
        pet.photo = id == 0 ? nil : Data([UInt8](repeating: 7, count: id))
        pet.born = Date(timeIntervalSince1970: 1_505_304_000 + Double(id))
        pet.any = [.int(1), .string("a"), .none, .decimal128("1.5")][id]
        pet.scores.append(objectsIn: [[], [5], [1, 9], [3, 3, 3]][id])
        pet.words.append(objectsIn: [["a", "b"], ["bc"], [], ["c"]][id])
        for place in 0..<id { pet.toys["toy\(place)"] = place * 10 }
        return pet
      }
      pets[1].uuid = UUID(uuidString: "B9D325B0-3058-4838-8473-8F1AAAE410DB")!
      pets[2].mark = try! ObjectId(string: "507f1f77bcf86cd799439011")
      pets[1].friend = pets[0]
      pets[2].friends.append(objectsIn: [pets[0], pets[1], pets[3]])
      pets[3].friends.append(pets[2])
      for (name, age, ids) in [("Ada", 30, [0, 1]), ("Bo", 3, [3])] {
        let owner = realm.create(GrammarOwner.self, value: ["name": name])
        owner.age = age
        owner.pets.append(objectsIn: ids.map { pets[$0] })
        pets[3].keepers[name] = owner
      }
    }
  }

  private func ids(_ text: String, _ arguments: Any...) -> [Int] {
    realm.objects(GrammarPet.self).filter(NSPredicate(format: text, argumentArray: arguments))
      .map(\.id)
  }

  @Test func `numbers are calculated with`() {
    #expect(ids("age + 1 == 3") == [1])
    #expect(ids("age * 2 - 1 > id + 1") == [1, 2, 3])
    #expect(ids("(age + 2) * 3 == 12") == [1])
    #expect(ids("age / 4 == 1") == [2, 3], "whole numbers are cut off")
    #expect(ids("age / 0 == nil") == [0, 1, 2, 3])
    #expect(ids("-age < -3") == [2, 3])
    #expect(ids("weight + 0.5 == 3") == [2])
    #expect(ids("price * 2 == 2.5") == [1])
    #expect(ids("price / 2 < 0.2") == [0])
    #expect(ids("age == +2") == [1])
    #expect(ids("age - 1 == 1") == [1])
    #expect(ids("ANY scores + 1 == 10") == [2])
    #expect(ids("friend.age + 5 == 5") == [1])
  }

  @Test func `literals of all kinds are read`() {
    #expect(ids("uuid == uuid(b9d325b0-3058-4838-8473-8f1aaae410db)") == [1])
    #expect(ids("mark == oid(507f1f77bcf86cd799439011)") == [2])
    #expect(ids("photo == B64\"Bwc=\"") == [2])
    #expect(ids("born == 2017-09-13@12:00:01") == [1])
    #expect(ids("born > 2017-09-13@12:00:01:500000000") == [2, 3])
    #expect(ids("born <= T1505304001:0") == [0, 1])
    #expect(ids("weight == inf") == [1])
    #expect(ids("weight < -infinity") == [])
    #expect(ids("weight != nan").count == 4)
    #expect(ids("size == 1.5f") == [1])
    #expect(ids("age == 0x4") == [2])
  }

  @Test func `arguments are named by their places`() {
    #expect(ids("age == $1 OR age == $0", 4, 0) == [0, 2])
    #expect(ids("$K0 == $1", "name", "Pip") == [1])
    #expect(ids("id IN $0", [1, 3] as [AnyHashable]) == [1, 3])
    #expect(ids("id == ANY $0", [1, 3] as [AnyHashable]) == [1, 3])
    #expect(ids("toys[$0] == 0", "toy0") == [1, 2, 3])
  }

  @Test func `quantifiers say how many elements must do`() {
    #expect(ids("ANY scores > 4") == [1, 2])
    #expect(ids("SOME scores > 4") == [1, 2])
    #expect(ids("ALL scores > 2") == [0, 1, 3])
    #expect(ids("NONE scores > 4") == [0, 3])
    #expect(ids("scores == 3") == [3], "ANY is implied")
    #expect(ids("ALL scores IN {1, 9, 5}") == [0, 1, 2])
    #expect(ids("ALL words BEGINSWITH 'b'") == [1, 2])
    #expect(ids("ALL friends.age > 3") == [0, 1, 3])
    #expect(ids("ALL scores BETWEEN {1, 5}") == [0, 1, 3])
    #expect(ids("ANY {0, 3} == id") == [0, 3])
    #expect(ids("id == ANY {0, 3}") == [0, 3])
    #expect(ids("ALL {0, 3} <= id") == [3])
    #expect(ids("5 >= ALL scores") == [0, 1, 3])
  }

  @Test func `sizes are asked for`() {
    #expect(ids("scores.@size == 2") == [2])
    #expect(ids("scores[SIZE] == 2") == [2])
    #expect(ids("name.@count == 3").count == 4)
    #expect(ids("photo.@size > 1") == [2, 3])
    #expect(ids("photo.@size == nil") == [0])
    #expect(ids("friend.@count == 1") == [1])
    #expect(ids("toys.@count == 3") == [3])
  }

  @Test func `elements are taken by their places`() {
    #expect(ids("scores[0] == 1") == [2])
    #expect(ids("scores[FIRST] == 3") == [3])
    #expect(ids("scores[LAST] == 9") == [2])
    #expect(ids("scores[1] == nil") == [0, 1])
    #expect(ids("friends[1].name == 'Pip'") == [2])
    #expect(ids("friends[LAST].age > 3") == [2, 3])
  }

  @Test func `maps are asked for keys and values`() {
    #expect(ids("toys['toy1'] == 10") == [2, 3])
    #expect(ids("toys[%@] == 20", "toy2") == [3])
    #expect(ids("toys['toy1'] == nil") == [0, 1])
    #expect(ids("ANY toys.@allKeys == 'toy2'") == [3])
    #expect(ids("toys.@keys ENDSWITH '1'") == [2, 3])
    #expect(ids("ANY toys.@allValues == 20") == [3])
    #expect(ids("toys.@values > 5") == [2, 3])
    #expect(ids("toys[%K] == 10", "#any") == [2, 3])
    #expect(ids("toys.@max == 20") == [3])
    #expect(ids("toys.@sum == 10") == [2])
    #expect(ids("10 IN toys") == [2, 3])
    #expect(ids("keepers['Bo'].age == 3") == [3])
    #expect(ids("ANY keepers.@allValues.age == 30") == [3])
    #expect(ids("keepers['Ada'].pets.@count == 2") == [3])
  }

  @Test func `links are followed backwards`() {
    #expect(ids("@links.GrammarOwner.pets.name == 'Ada'") == [0, 1])
    #expect(ids("@links.GrammarOwner.pets.@count == 0") == [2])
    #expect(ids("ANY owners.name == 'Bo'") == [3])
    #expect(ids("friends.@links.GrammarOwner.pets.name == 'Bo'") == [2])
  }

  @Test func `links from all classes are counted`() throws {
    #expect(ids("@links.@count == 3") == [0])
    #expect(ids("@links.@count == 2") == [1, 3])
    #expect(ids("@links.@size < 2") == [2])
    #expect(ids("@links[SIZE] * 2 == id + 1") == [3])
    #expect(ids("friend.@links.@count == 3") == [1])
    #expect(ids("friend.@links.@count == 0") == [0, 2, 3], "there is no friend")
    #expect(ids("friends.@links.@count == 1") == [3])
    #expect(ids("ALL friends.@links.@count > 1") == [0, 1, 2])
    #expect(ids("@links.GrammarOwner.pets.@links.@count == 1") == [0, 1, 3])
    #expect(ids("SUBQUERY(friends, $f, $f.@links.@count > @links.@count).@count == 3") == [2])
    #expect(realm.objects(GrammarOwner.self).filter("@links.@count == 1").count == 2)
    let pets = realm.objects(GrammarPet.self)
    try realm.write {
      pets[0].any = .object(pets[2])
      pets[1].any = .fromArray([.object(pets[2]), .fromDictionary(["to": .object(pets[2])])])
      pets[3].friends.append(pets[2])
    }
    #expect(ids("@links.@count == 5") == [2])
    try realm.write {
      pets[0].any = .none
      pets[1].any = .none
      realm.delete(pets[3])
    }
    #expect(ids("@links.@count == 0") == [2])
    #expect(ids("@links.@count == 2") == [1])
  }

  @Test func `results by the number of links follow links among values of any kind`() throws {
    let owners = realm.objects(GrammarOwner.self).filter("@links.@count == 2")
    var seen: [[String]] = []
    let configuration = realm.configuration
    let thread = LoopThread()
    for step in 0..<3 {
      try thread.performAndWait {
        let realm = try Realm(configuration: configuration)
        realm.refresh()
        let (pets, owners) = (realm.objects(GrammarPet.self), realm.objects(GrammarOwner.self))
        try realm.write {
          switch step {
          case 0: pets[0].any = .object(owners[1])
          case 1: pets[1].keepers["x"] = owners[0]
          default: pets[0].any = .none
          }
        }
      }
      realm.refresh()
      seen.append(owners.map(\.name))
    }
    thread.join()
    #expect(seen == [["Bo"], ["Ada", "Bo"], ["Ada"]])
  }

  @Test func `kinds of values are asked for`() {
    #expect(ids("#any.@type == 'int'") == [0])
    #expect(ids("#any.@type == 'numeric'") == [0, 3])
    #expect(ids("#any.@type != 'string'") == [0, 2, 3])
    #expect(ids("#any.@type IN {'null', 'string'}") == [1, 2])
  }

  @Test func `subqueries see the objects around them`() {
    #expect(ids("SUBQUERY(friends, $f, $f.age > age).@count == 1") == [2])
    #expect(ids("SUBQUERY(friends, $f, $f.age < age AND $f.id < 9).@count > 0") == [2, 3])
    #expect(
      ids(
        "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g.id == $f.id - 2).@count > 0).@count > 0")
        == [3], "3 leads to 2, whose friends are 0, 1 and 3")
    #expect(
      ids("SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g.id == id).@count > 0).@size > 0")
        == [2, 3])
  }

  @Test func `objects are named by their primary keys`() {
    #expect(ids("friend == obj('GrammarPet', 0)") == [1])
    #expect(ids("friend == obj('GrammarPet', 17)") == [])
    #expect(ids("ANY owners == obj('GrammarOwner', 'Bo')") == [3])
    #expect(ids("friend IN {obj('GrammarPet', 0), obj('GrammarPet', 1)}") == [1])
  }

  @Test func `sorts, distinctions and limits stand behind the condition`() {
    #expect(ids("age >= 0 SORT(name ASC)") == [1, 0, 2, 3])
    #expect(ids("age >= 0 SORT(name DESC) LIMIT(2)") == [3, 2])
    #expect(ids("age >= 0 LIMIT(2) SORT(name ASC)") == [1, 0])
    #expect(ids("TRUEPREDICATE SORT(friend.age ASC, id DESC)") == [1, 3, 2, 0])
    #expect(ids("TRUEPREDICATE DISTINCT(friend.age)") == [1])
    #expect(
      realm.objects(GrammarPet.self).filter("age > $0 SORT(age DESC)", 1).map(\.id) == [3, 2, 1])
  }

  @Test func `what was read is read again with other arguments`() {
    let pets = realm.objects(GrammarPet.self)
    for wanted in 0..<4 {
      #expect(pets.filter("id + 1 == $0 LIMIT(1)", wanted + 1).map(\.id) == [wanted])
      #expect(
        pets.filter("ANY scores IN %@ OR id == %@", [5, 9], wanted).map(\.id)
          == [1, 2].union(wanted))
    }
  }
}

extension [Int] {
  fileprivate func union(_ other: Int) -> [Int] { Set(self).union([other]).sorted() }
}
