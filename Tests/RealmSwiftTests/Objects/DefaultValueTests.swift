import Foundation
import RealmSwift
import Testing

/// An object of which there is one, under the key that new ones begin with.
final class Preferences: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var theme = "light"
  @Persisted var size = 12
  @Persisted var recent: List<String>
}

final class Rack: Object {
  @Persisted(primaryKey: true) var id = UUID().uuidString
  @Persisted var label: RackLabel? = RackLabel(value: ["text": "new"])
  @Persisted var sizes: List<Int>
  @Persisted var prices: Map<String, Double>
  @Persisted var places = 3

  override init() {
    super.init()
    sizes.append(objectsIn: [1, 2])
    prices["book"] = 1.5
  }
}

final class RackLabel: EmbeddedObject {
  @Persisted var text: String
}

/// A class whose linking objects come before properties that are given.
final class CartWheel: Object {
  @Persisted var name: String
  @Persisted(originProperty: "wheels") var carts: LinkingObjects<Cart>
  @Persisted var spokes: Int
}

final class Cart: Object {
  @Persisted var wheels: List<CartWheel>
}

@Suite struct DefaultValueTests {
  private let file = TemporaryRealm([
    Preferences.self, Rack.self, RackLabel.self, CartWheel.self, Cart.self,
  ])

  @Test(arguments: [Realm.UpdatePolicy.modified, .all])
  func `values without a key go to the object with the key that new ones have`(
    policy: Realm.UpdatePolicy
  ) throws {
    let realm = try file.open()
    try realm.write {
      realm.create(Preferences.self, value: ["size": 20, "recent": ["a"]])
      let found = realm.create(Preferences.self, value: ["theme": "dark"], update: policy)
      #expect(found.theme == "dark" && found.size == 20 && Array(found.recent) == ["a"])
      realm.dynamicCreate("Preferences", value: ["theme": "blue"], update: policy)
      #expect(found.theme == "blue" && found.size == 20 && Array(found.recent) == ["a"])
      realm.create(Rack.self, value: ["places": 1], update: policy)
      realm.create(Rack.self, value: ["places": 2], update: policy)
    }
    #expect(realm.objects(Preferences.self).count == 1)
    #expect(realm.objects(Rack.self).sorted(by: \.places).map(\.places) == [1, 2])
  }

  @Test func `objects that are made by the name of their class begin as others do`() throws {
    let realm = try file.open()
    try realm.write {
      for id in ["typed", "named"] {
        let value = ["id": id]
        if id == "typed" {
          realm.create(Rack.self, value: value)
        } else {
          realm.dynamicCreate("Rack", value: value)
        }
        let rack = try #require(realm.object(ofType: Rack.self, forPrimaryKey: id))
        #expect(rack.label?.text == "new" && rack.places == 3, "\(id)")
        #expect(Array(rack.sizes) == [1, 2] && rack.prices["book"] == 1.5, "\(id)")
      }
      let bare: [String: Any] = ["id": "bare", "label": NSNull(), "sizes": [Int]()]
      realm.dynamicCreate("Rack", value: bare)
    }
    let bare = try #require(realm.object(ofType: Rack.self, forPrimaryKey: "bare"))
    #expect(bare.label == nil && bare.sizes.isEmpty && bare.prices.count == 1)
  }

  @Test func `arrays of values have none for linking objects`() throws {
    let realm = try file.open()
    let front = CartWheel(value: ["front", 12])
    #expect(front.name == "front" && front.spokes == 12)
    try realm.write {
      let rear = realm.create(CartWheel.self, value: ["rear", 16])
      realm.create(Cart.self, value: [[rear]])
      #expect(rear.spokes == 16 && rear.carts.count == 1)
      #expect(realm.dynamicCreate("CartWheel", value: ["spare", 8])["spokes"] as? Int == 8)
    }
  }

  @Test func `arrays with more values than properties are misuses`() async {
    await #expect(processExitsWith: .failure) { _ = CartWheel(value: ["front", 12, 3]) }
  }
}
