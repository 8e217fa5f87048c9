import Foundation
import RealmSwift

// The rest of docs/API.md: what is reached by name, migrations, places on the globe, words, and the
// logger.

private func dynamic(_ realm: Realm, _ cat: Cat, _ any: AnyRealmValue) {
  let cats: Results<DynamicObject> = realm.dynamicObjects("Cat")
  let made: DynamicObject = realm.dynamicCreate("Cat", value: ["name": "Tom"], update: .modified)
  let found: DynamicObject? = realm.dynamicObject(ofType: "Cat", forPrimaryKey: ObjectId())
  made["name"] = "Tim"
  made.name = "Tom"
  _ = (found?["name"], made.name as? String, cats.filter("age > 1").count, any.dynamicObject)
  let friends: List<DynamicObject> = cat.dynamicList("friends")
  let rivals: MutableSet<DynamicObject> = cat.dynamicMutableSet("rivals")
  let byName: Map<String, DynamicObject?> = cat.dynamicMap("byName")
  _ = (friends.count, rivals.count, byName.count)
}

private func migrations() throws {
  var configuration = Realm.Configuration(
    schemaVersion: 2,
    migrationBlock: { migration, oldVersion in
      _ = (migration.oldSchema, migration.newSchema, oldVersion)
      migration.enumerateObjects(ofType: "Cat") { old, new in
        let object: MigrationObject? = new
        object?["name"] = old?["name"]
        if let new { migration.delete(new) }
      }
      let made: MigrationObject = migration.create("Cat", value: ["name": "Tom"])
      migration.renameProperty(onType: "Cat", from: "title", to: "name")
      _ = (made, migration.deleteData(forType: "Dog"))
    })
  configuration.deleteRealmIfMigrationNeeded = false
  try Realm.performMigration(for: configuration)
  _ = try schemaVersionAtURL(configuration.fileURL!, encryptionKey: nil)
}

private func places(_ homes: Results<Home>) {
  guard let point = GeoPoint(latitude: 1, longitude: 2),
    let high = GeoPoint(latitude: 3, longitude: 4, altitude: 5),
    let distance = Distance.kilometers(1),
    let tupleBox = GeoBox(bottomLeft: (1, 2), topRight: (3, 4)),
    let polygon = GeoPolygon(outerRing: [(0, 0), (0, 1), (1, 1), (0, 0)]),
    let circle = GeoCircle(center: (1, 2), radius: distance),
    let ball = GeoCircle(center: point, radiusInRadians: 0.1)
  else { return }
  let box = GeoBox(bottomLeft: point, topRight: high)
  let shapes: [any RLMGeospatial] = [box, tupleBox, polygon, circle, ball]
  _ = (Distance.miles(1), Distance.degrees(1), Distance.radians(1), distance.radians)
  _ = (distance.asKilometers(), distance.asMiles(), distance.asDegrees(), shapes)
  _ = homes.where { $0.place.geoWithin(box) || $0.place.geoWithin(circle) }
  _ = homes.where { $0.place.geoWithin(polygon) && $0.story.text("cat -dog") }
  _ = homes.filter("place geoWithin %@", circle)
}

private func maps(_ cats: Results<Cat>) {
  _ = cats.where { $0.counts["a"] > 1 && $0.counts.keys.contains("a") && $0.counts.values > 1 }
  _ = cats.where { $0.counts.contains(1) && $0.counts.containsAny(in: [1]) && $0.counts.count > 1 }
}

private func logging() {
  let logger = Logger(level: .info) { level, message in print(level, message) }
  logger.level = .debug
  Logger.shared = logger
  let levels: [LogLevel] = [.off, .fatal, .error, .warn, .info, .detail, .debug, .trace, .all]
  _ = levels
}
