import Foundation
import RealmSwift
import Testing

final class GeoPlace: EmbeddedObject {
  @Persisted private var type = "Point"
  @Persisted private var coordinates: List<Double>

  convenience init(latitude: Double, longitude: Double) {
    self.init()
    coordinates.append(objectsIn: [longitude, latitude])
  }

  func makeLine() { type = "LineString" }
}

final class GeoShop: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var place: GeoPlace?
  @Persisted var others: List<GeoPlace>
}

@Suite struct GeospatialTests {
  private let realm: Realm

  /// 0 in Paris, 1 in London, 2 in Sydney, 3 nowhere, 4 is no point.
  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [GeoShop.self, GeoPlace.self]))
    try realm.write {
      let shops = (0..<5).map { realm.create(GeoShop.self, value: ["id": $0]) }
      shops[0].place = GeoPlace(latitude: 48.8566, longitude: 2.3522)
      shops[1].place = GeoPlace(latitude: 51.5074, longitude: -0.1278)
      shops[2].place = GeoPlace(latitude: -33.8688, longitude: 151.2093)
      shops[4].place = GeoPlace(latitude: 48.8566, longitude: 2.3522)
      shops[4].place!.makeLine()
      shops[3].others.append(GeoPlace(latitude: 51.5, longitude: 0))
      shops[3].others.append(GeoPlace(latitude: -40, longitude: 0))
    }
  }

  private func ids(_ query: (Query<GeoShop>) -> Query<Bool>) -> [Int] {
    realm.objects(GeoShop.self).where(query).map(\.id)
  }

  private func ids(_ text: String, _ argument: any RLMGeospatial) -> [Int] {
    realm.objects(GeoShop.self).filter(text, argument).map(\.id)
  }

  @Test func `places are found in boxes, circles and polygons`() {
    let box = GeoBox(bottomLeft: (45, -5), topRight: (50, 5))!
    #expect(ids { $0.place.geoWithin(box) } == [0])
    #expect(ids("place IN %@", box) == [0])
    let circle = GeoCircle(center: (50, 1), radius: .kilometers(300)!)!
    #expect(ids { $0.place.geoWithin(circle) } == [0, 1])
    #expect(ids("NOT place IN %@", circle) == [2, 3, 4])
    let polygon = GeoPolygon(
      outerRing: [(40, -10), (60, -10), (60, 10), (40, 10), (40, -10)],
      holes: [[(50, -5), (55, -5), (55, 5), (50, 5), (50, -5)]])!
    #expect(ids { $0.place.geoWithin(polygon) } == [0])
    #expect(ids { $0.place.geoWithin(GeoPolygon(outerRing: polygon.outerRing)!) } == [0, 1])
    #expect(ids("ANY others IN %@", circle) == [3])
    #expect(ids("others IN %@", GeoBox(bottomLeft: (0, 0), topRight: (1, 1))!) == [])
  }

  @Test func `conditions are strings with the shape as their argument`() {
    let circle = GeoCircle(center: (50, 1), radiusInRadians: 0.1)!
    let query = Query<GeoShop>._constructForTesting().place.geoWithin(circle)
    let (text, arguments) = query._constructPredicate()
    #expect(text == "(place IN %@)")
    #expect(arguments.first as? GeoCircle == circle)
  }

  @Test func `shapes out of range are nil`() {
    #expect(GeoPoint(latitude: 90.1, longitude: 0) == nil)
    #expect(GeoPoint(latitude: 0, longitude: -181) == nil)
    #expect(GeoPoint(latitude: 0, longitude: 0, altitude: -1) == nil)
    #expect(GeoPoint(latitude: .nan, longitude: 0) == nil)
    #expect(GeoPoint(latitude: 1, longitude: 2, altitude: 3)?.altitude == 3)
    #expect(GeoBox(bottomLeft: (0, 0), topRight: (91, 0)) == nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (1, 1), (0, 0)]) == nil)
    #expect(GeoPolygon(outerRing: [(0, 0), (1, 1), (2, 0), (3, 0)]) == nil, "it is not closed")
    #expect(GeoPolygon(outerRing: [(0, 0), (1, 1), (2, 0), (0, 0)], holes: [[(0, 0)]]) == nil)
    #expect(GeoCircle(center: (0, 0), radiusInRadians: -1) == nil)
    #expect(Distance.kilometers(-1) == nil && Distance.miles(-1) == nil)
  }

  @Test func `distances convert`() {
    #expect(abs(Distance.kilometers(10)!.asMiles() - 6.21371) < 1e-4)
    #expect(abs(Distance.degrees(180)!.radians - .pi) < 1e-12)
    #expect(abs(Distance.miles(3)!.asKilometers() - 4.828032) < 1e-9)
    #expect(abs(Distance.radians(1)!.asDegrees() - 57.29578) < 1e-5)
    #expect(Distance.kilometers(1)! < Distance.miles(1)!)
  }

  @Test func `what has no place is refused`() async {
    await #expect(processExitsWith: .failure) {
      let realm = try Realm(
        configuration: Realm.Configuration(
          inMemoryIdentifier: "no place", objectTypes: [GeoShop.self, GeoPlace.self]))
      let box = GeoBox(bottomLeft: (0, 0), topRight: (1, 1))!
      _ = realm.objects(GeoShop.self).filter("id IN %@", box).count
    }
  }
}
