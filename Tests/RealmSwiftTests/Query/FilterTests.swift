import Foundation
import Testing

import RealmSwift

final class FilterPerson: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted var height: Double?
  @Persisted var balance: Decimal128
  @Persisted var isMember: Bool
  @Persisted var joined: Date
  @Persisted var key: ObjectId
  @Persisted var extra: AnyRealmValue
  @Persisted var boss: FilterPerson?
  @Persisted var friends: List<FilterPerson>
  @Persisted var scores: List<Int>
  @Persisted(originProperty: "friends") var friendOf: LinkingObjects<FilterPerson>

  override class func propertiesMapping() -> [String: String] { ["isMember": "is_member"] }
}

/// A few people in a file of their own, and the conditions on them.
@Suite struct FilterTests {
  private let realm: Realm
  private let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "filter-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: directory.appendingPathComponent("people.realm"),
        objectTypes: [FilterPerson.self]))
    try fill()
  }

  private func fill() throws {
    try realm.write {
      let people = (0..<10).map { id in
        let person = FilterPerson()
        person.id = id
        person.name = ["Ada", "Bo", "Cléo", "Dora", "Eve", "Finn", "Gus", "Hal", "Ida", "Joe"][id]
        person.age = 20 + id * 5
        person.height = id % 3 == 0 ? nil : 1.5 + Double(id) / 100
        person.balance = Decimal128(value: "\(id).50")
        person.isMember = id % 2 == 0
        person.joined = Date(timeIntervalSinceReferenceDate: Double(id) * 1000)
        person.extra = id % 2 == 0 ? .int(id) : .string("x\(id)")
        person.scores.append(objectsIn: 0..<id)
        return person
      }
      realm.add(people)
      for (index, person) in people.enumerated() where index > 0 {
        person.boss = people[index / 2]
        person.friends.append(objectsIn: people[0..<index])
      }
    }
  }

  private func ids(_ query: (Query<FilterPerson>) -> Query<Bool>) -> [Int] {
    realm.objects(FilterPerson.self).where(query).map(\.id)
  }

  private func ids(_ text: String, _ arguments: Any...) -> [Int] {
    let predicate = NSPredicate(format: text, argumentArray: arguments)
    return realm.objects(FilterPerson.self).filter(predicate).map(\.id)
  }

  private func cleanUp() { try? FileManager.default.removeItem(at: directory) }

  @Test func closuresSelect() {
    defer { cleanUp() }
    #expect(ids { $0.age > 50 } == [7, 8, 9])
    #expect(ids { $0.age.contains(25...35) } == [1, 2, 3])
    #expect(ids { $0.name == "Eve" || $0.id.in([1, 2]) } == [1, 2, 4])
    #expect(ids { $0.height == nil } == [0, 3, 6, 9])
    #expect(ids { $0.height > 1.56 } == [7, 8])
    #expect(ids { $0.balance >= 8.5 } == [8, 9])
    #expect(ids { $0.isMember && $0.age < 35 } == [0, 2])
    #expect(ids { !$0.isMember && $0.age < 35 } == [1])
    #expect(ids { $0.joined >= Date(timeIntervalSinceReferenceDate: 8500) } == [9])
    #expect(
      ids { $0.name.contains("LEO", options: [.caseInsensitive, .diacriticInsensitive]) } == [2])
    #expect(ids { $0.name.like("?d*") } == [0, 8])
    #expect(ids { $0.boss.name == "Bo" } == [2, 3])
    #expect(ids { $0.boss == nil } == [0])
    #expect(ids { $0.extra == .string("x3") } == [3])
    #expect(ids { $0.extra > .int(5) } == [6, 8])
  }

  @Test func collectionsAreSearched() {
    defer { cleanUp() }
    #expect(ids { $0.friends.count >= 8 } == [8, 9])
    #expect(ids { $0.friends.name == "Hal" } == [8, 9])
    #expect(ids { $0.scores.contains(8) } == [9])
    #expect(ids { $0.scores > 6 } == [8, 9])
    #expect(ids { $0.scores.sum == 3 } == [3])
    #expect(ids { $0.friends.age.max == 50 } == [7])
    #expect(ids { ($0.friends.age > 30 && $0.friends.isMember).count == 2 } == [7, 8])
    #expect(ids { $0.friendOf.name == "Eve" } == [0, 1, 2, 3])
    #expect(ids { $0.friendOf.count == 0 } == [9])
    let ada = realm.object(ofType: FilterPerson.self, forPrimaryKey: 1)!
    #expect(ids { $0.boss == ada } == [2, 3])
    #expect(ids { $0.friends.contains(ada) }.count == 8)
  }

  @Test func stringsSelectTheSame() {
    defer { cleanUp() }
    #expect(ids("age > %@", 50) == [7, 8, 9])
    #expect(ids("isMember == YES AND age < 35") == [0, 2])
    #expect(ids("name IN %@", ["Eve", "Bo"]) == [1, 4])
    #expect(ids("ANY friends.name == 'Hal'") == [8, 9])
    #expect(ids("friends.@count == 2 OR scores.@sum == 3") == [2, 3])
    #expect(
      ids("SUBQUERY(friends, $f, $f.age > 30 AND $f.isMember == true).@count == 2") == [7, 8])
    #expect(ids("boss.boss.name BEGINSWITH[c] 'b'") == [4, 5, 6, 7])
    #expect(ids("NONE friends.age > 0") == [0])
    #expect(realm.objects(FilterPerson.self).filter("age == %d", 25).first?.id == 1)
  }

  @Test func predicateMacrosSelectTheSame() {
    defer { cleanUp() }
    func ids(_ predicate: Foundation.Predicate<FilterPerson>) -> [Int] {
      realm.objects(FilterPerson.self).where(predicate).map(\.id)
    }
    let limit = 50
    let wanted = [1, 2]
    #expect(ids(#Predicate { $0.age > limit }) == [7, 8, 9])
    #expect(ids(#Predicate { $0.name == "Eve" || wanted.contains($0.id) }) == [1, 2, 4])
    #expect(ids(#Predicate { $0.isMember && !($0.age >= 35) }) == [0, 2])
    #expect(ids(#Predicate { $0.height == nil }) == [0, 3, 6, 9])
    #expect(ids(#Predicate { (25...35).contains($0.age) }) == [1, 2, 3])
    #expect(ids(#Predicate { $0.name.contains("d") }) == [0, 8])
    #expect(ids(#Predicate { $0.name.starts(with: "D") }) == [3])
    #expect(ids(#Predicate { $0.boss?.name == "Bo" }) == [2, 3])
    #expect(ids(#Predicate { $0.friends.count >= 8 }) == [8, 9])
    #expect(ids(#Predicate { $0.friends.isEmpty }) == [0])
    #expect(ids(#Predicate { $0.scores.contains(8) }) == [9])
    #expect(ids(#Predicate { $0.friends.contains { $0.name == "Hal" } }) == [8, 9])
    #expect(ids(#Predicate { $0.friends.allSatisfy { $0.age < 35 } }) == [0, 1, 2, 3])
  }

  @Test func conditionsAddUp() {
    defer { cleanUp() }
    let members = realm.objects(FilterPerson.self).where { $0.isMember }
    #expect(
      members.filter("age > 40").sorted(byKeyPath: "age", ascending: false).map(\.id) == [8, 6])
    #expect(members.where { $0.age > 40 }.index(matching: "id == 8") == 1)
    #expect(members.index(matching: { $0.id == 99 }) == nil)
    let friends = realm.objects(FilterPerson.self).last!.friends
    #expect(friends.where { $0.age < 30 }.map(\.id) == [0, 1])
  }

  @Test func mistakesAreMisuse() async {
    cleanUp()
    for text in ["age >", "nothing == 3", "friends.shoe > 3", "age == 'x'"] {
      await #expect(processExitsWith: .failure) { [text = text as String] in
        let identifier = UUID().uuidString
        let realm = try Realm(
          configuration: Realm.Configuration(
            inMemoryIdentifier: identifier, objectTypes: [FilterPerson.self]))
        _ = realm.objects(FilterPerson.self).filter(text).count
      }
    }
  }
}
