import Foundation
import RealmSwift
import Testing

/// A plain structure that is kept as an embedded object.
struct Spot: CustomPersistable, Hashable {
  typealias PersistedType = SpotObject
  var latitude = 0.0
  var longitude = 0.0

  init(_ latitude: Double, _ longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  init(persistedValue: SpotObject) { self.init(persistedValue.latitude, persistedValue.longitude) }
  var persistableValue: SpotObject { SpotObject(value: [latitude, longitude]) }
}

final class SpotObject: EmbeddedObject {
  @Persisted var latitude: Double
  @Persisted var longitude: Double

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// One that not every object stands for.
struct NorthernSpot: FailableCustomPersistable {
  typealias PersistedType = SpotObject
  var latitude: Double

  init?(persistedValue: SpotObject) {
    guard persistedValue.latitude >= 0 else { return nil }
    latitude = persistedValue.latitude
  }

  init(_ latitude: Double) { self.latitude = latitude }
  var persistableValue: SpotObject { SpotObject(value: [latitude, 1]) }
}

final class Hike: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var start: Spot
  @Persisted var end: Spot?
  @Persisted var way: List<Spot>
  @Persisted var huts: Map<String, Spot?>
  @Persisted var north: NorthernSpot?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Custom types that are kept as embedded objects.
@Suite struct CustomEmbeddedTests {
  private let file = TemporaryRealm([Hike.self, SpotObject.self])

  @Test func valuesAreStoredAndReadBack() throws {
    let hike = Hike()
    #expect(hike.start == Spot(0, 0) && hike.end == nil)
    hike.start = Spot(1, 2)
    hike.end = Spot(3, 4)
    hike.way.append(objectsIn: [Spot(5, 6), Spot(7, 8)])
    hike.huts["a"] = Spot(9, 10)
    hike.north = NorthernSpot(4)
    try autoreleasepool {
      let realm = try file.open()
      try realm.write {
        realm.add(hike)
        realm.create(
          Hike.self,
          value: ["id": 1, "start": ["latitude": 11], "way": [[1.0, 2.0]], "end": Spot(2, 3)]
            as [String: Any])
      }
    }
    let realm = try file.open()
    let hikes = realm.objects(Hike.self)
    #expect(hikes[0].start == Spot(1, 2) && hikes[0].end == Spot(3, 4))
    #expect(Array(hikes[0].way) == [Spot(5, 6), Spot(7, 8)] && hikes[0].way[1].latitude == 7)
    #expect(hikes[0].huts["a"] == Spot(9, 10) && hikes[0].north?.latitude == 4)
    #expect(hikes[1].start == Spot(11, 0) && Array(hikes[1].way) == [Spot(1, 2)])
    #expect(hikes[1].end == Spot(2, 3) && hikes[1].north == nil)
  }

  @Test func settingReplacesWhatWasThere() throws {
    let realm = try file.open()
    let hike = try realm.write { realm.create(Hike.self) }
    #expect(hike.start == Spot(0, 0))
    try realm.write {
      hike.start = Spot(1, 1)
      hike.start = Spot(2, 2)
      hike.end = Spot(3, 3)
      hike.end = nil
      hike.way.append(Spot(4, 4))
      hike.way.insert(Spot(5, 5), at: 0)
      hike.way[1] = Spot(6, 6)
      hike.huts["x"] = Spot(7, 7)
      hike.huts["x"] = Spot(8, 8)
      hike["start"] = Spot(9, 9)
      hike.north = NorthernSpot(-1)
    }
    #expect(hike.start == Spot(9, 9) && hike.end == nil && hike.north == nil)
    #expect(Array(hike.way) == [Spot(5, 5), Spot(6, 6)] && hike.huts["x"] == Spot(8, 8))
    #expect(hike.freeze().start == Spot(9, 9) && hike.way.freeze()[0] == Spot(5, 5))
    #expect(realm.dynamicObjects("Hike")[0].dynamicList("way").count == 2)
  }

  @Test func conditionsCompareThemByTheirProperties() throws {
    let realm = try file.open()
    try realm.write {
      realm.create(Hike.self, value: ["id": 1, "start": Spot(1, 2), "end": Spot(3, 4)])
      realm.create(Hike.self, value: ["id": 2, "start": Spot(1, 3)])
    }
    let hikes = realm.objects(Hike.self)
    func found(_ condition: (Query<Hike>) -> Query<Bool>) -> [Int] {
      hikes.where(condition).map(\.id)
    }
    #expect(found { $0.start == Spot(1, 2) } == [1])
    #expect(found { $0.start != Spot(1, 2) } == [2])
    #expect(found { $0.end == Spot(3, 4) } == [1])
    #expect(found { $0.end != Spot(3, 4) } == [2])
    #expect(found { $0.end == Optional(Spot(3, 4)) } == [1])
    #expect(found { $0.end == nil } == [2])
    #expect(found { $0.end != nil && !($0.start == Spot(0, 0)) } == [1])
    #expect(hikes.filter("end == %@", SpotObject(value: [3, 4])).map(\.id) == [1])
    #expect(hikes.filter("end != %@", Spot(3, 4)).map(\.id) == [2])
  }

  @Test func updatesCopiesAndQueriesKnowThem() throws {
    let realm = try file.open()
    let value =
      ["id": 1, "start": Spot(1, 2), "way": [Spot(3, 4)], "huts": ["a": Spot(5, 6)]]
      as [String: Any]
    let hike = try realm.write { realm.create(Hike.self, value: value) }
    try realm.write {
      realm.create(Hike.self, value: value, update: .modified)
      realm.create(Hike.self, value: ["id": 1, "start": Spot(7, 8)], update: .modified)
      realm.create(Hike.self, value: ["id": 1, "way": [Spot(9, 9)]], update: .all)
    }
    #expect(hike.start == Spot(7, 8) && Array(hike.way) == [Spot(9, 9)])
    #expect(hike.huts["a"] == Spot(5, 6))
    let hikes = realm.objects(Hike.self)
    #expect(hikes.where { $0.start.persistableValue.latitude == 7 }.count == 1)
    #expect(hikes.filter("ANY way.longitude == 9").count == 1)
    #expect(hikes.sorted(byKeyPath: "start.latitude").first == hike)
    let other = TemporaryRealm([Hike.self, SpotObject.self])
    let copy = try other.open()
    try copy.write { copy.create(Hike.self, value: hike) }
    #expect(copy.objects(Hike.self)[0].start == Spot(7, 8))
    #expect(Array(copy.objects(Hike.self)[0].way) == [Spot(9, 9)])
  }
}
