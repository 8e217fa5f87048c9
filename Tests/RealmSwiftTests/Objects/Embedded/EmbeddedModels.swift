@testable import RealmSwift

final class House: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var hall: Room?
  @Persisted var rooms: List<Room>
  @Persisted var named: Map<String, Room?>
  @Persisted var neighbour: House?
  @Persisted var others: List<House>

  convenience init(_ number: Int) {
    self.init()
    self.number = number
  }
}

final class Room: EmbeddedObject, ObjectKeyIdentifiable {
  @Persisted var name: String
  @Persisted var size = 10
  @Persisted var next: Room?
  @Persisted var niches: List<Niche>
  @Persisted var view: House?
  @Persisted(originProperty: "rooms") var houses: LinkingObjects<House>
  @Persisted(originProperty: "hall") var owner: LinkingObjects<House>

  convenience init(_ name: String, size: Int = 10) {
    self.init()
    self.name = name
    self.size = size
  }
}

final class Niche: EmbeddedObject {
  @Persisted var depth: Int
  @Persisted(originProperty: "niches") var rooms: LinkingObjects<Room>

  convenience init(_ depth: Int) {
    self.init()
    self.depth = depth
  }
}

final class RoomView: Projection<Room> {
  @Projected(\Room.name) var title
  @Projected(\Room.next?.name) var nextTitle
}

final class HouseView: Projection<House> {
  @Projected(\House.hall!.name) var hallName
  @Projected(\House.rooms.projectTo.name) var roomNames: ProjectedCollection<String>
}

enum EmbeddedModels {
  static let types: [ObjectBase.Type] = [House.self, Room.self, Niche.self]

  /// A file for houses.
  static func file() -> TemporaryRealm { TemporaryRealm(types) }

  /// How many rooms and niches the realm has, reached or not.
  static func counts(_ realm: Realm) -> [Int] {
    [Room.self, Niche.self].map { type in
      realm.instance.table(of: realm.instance.requiredBinding(for: type)).count
    }
  }

  /// What a check of every object of the realm's version finds.
  static func findings(_ realm: Realm) -> [String] {
    realm.instance.snapshot!.storeFindings().map(\.description)
  }
}
