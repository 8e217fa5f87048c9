import Foundation
import Testing

@testable import RealmSwift

/// Aggregates over values of any kind, with lists, dictionaries and objects among them.
@Suite struct NestedAggregateTests {
  private let file = TemporaryRealm([Crate.self])

  private static var values: [AnyRealmValue] {
    [
      .int(3), .string("b"), .none, .double(1.5), .fromArray([.int(100)]), .bool(true),
      .fromDictionary(["x": .int(1)]),
    ]
  }

  private func crates() throws -> [Crate] {
    let (loose, managed) = (Crate(), Crate())
    for crate in [loose, managed] {
      crate.contents.append(objectsIn: Self.values)
      for (index, value) in Self.values.enumerated() { crate.byName["k\(index)"] = value }
      crate.set.insert(objectsIn: Self.values.filter { !$0.isCollection })
    }
    let realm = try file.open()
    try realm.write { realm.add(managed) }
    return [loose, managed]
  }

  @Test func addOnlyWhatIsANumber() throws {
    for crate in try crates() {
      #expect(crate.contents.sum() == .decimal128(4.5))
      #expect(crate.byName.sum() == .decimal128(4.5))
      #expect(crate.contents.average() == Decimal128(2.25))
      for key in ["contents", "byName", "set"] {
        #expect(crate.value(forKeyPath: "\(key).@sum.self") as? Double == 4.5)
        #expect(crate.value(forKeyPath: "\(key).@avg.self") as? Double == 2.25)
      }
    }
  }

  @Test func orderAllOfThem() throws {
    for crate in try crates() {
      #expect(crate.contents.min() == .bool(true) && crate.byName.min() == .bool(true))
      #expect(crate.contents.max()?.isCollection == true)
      #expect(crate.byName.max()?.isCollection == true)
      #expect(crate.set.max() == .string("b"))
      for key in ["contents", "byName"] {
        #expect(crate.value(forKeyPath: "\(key).@min.self") as? Bool == true)
        #expect(crate.value(forKeyPath: "\(key).@max.self") is RLMSwiftCollectionBase)
      }
      #expect(crate.value(forKeyPath: "set.@max.self") as? String == "b")
    }
  }

  @Test func ofPropertiesByPath() throws {
    let realm = try file.open()
    try realm.write {
      for (index, value) in Self.values.enumerated() {
        let crate = Crate(value: ["id": index])
        crate.content = value
        realm.add(crate)
      }
    }
    let all = realm.objects(Crate.self)
    #expect(all.value(forKeyPath: "@sum.content") as? Double == 4.5)
    #expect(all.value(forKeyPath: "@min.content") as? Bool == true)
    #expect(all.value(forKeyPath: "@max.content") is RLMSwiftCollectionBase)
    #expect(all.sum(ofProperty: "content") as AnyRealmValue == .decimal128(4.5))
    #expect((all.max(ofProperty: "content") as AnyRealmValue?)?.isCollection == true)
  }

  @Test func ofCollectionsAlone() throws {
    let list = List<AnyRealmValue>()
    list.append(.fromArray([]))
    #expect(list.min()?.isCollection == true && list.max()?.isCollection == true)
    #expect(list.sum() == .decimal128(0) && list.average() as Decimal128? == nil)
    let realm = try file.open()
    let crate = try realm.write {
      realm.create(Crate.self, value: ["contents": [[] as [Any]] as [Any]])
    }
    #expect(crate.contents.min()?.isCollection == true)
    #expect(crate.value(forKeyPath: "contents.@avg.self") == nil)
    #expect(crate.value(forKeyPath: "contents.@sum.self") as? Int == 0)
  }
}
