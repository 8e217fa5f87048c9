import Foundation
import Testing

@testable import RealmSwift

enum Mood: String, PersistableEnum {
  case calm
  case wild
}

final class Den: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var place = "wood"
  @Persisted var mood = Mood.wild
  @Persisted var cubs: List<Cub>
  @Persisted var guests: MutableSet<Cub>
  @Persisted var beds: Map<String, Cub?>
  @Persisted var oldest: Cub?
  @Persisted var scores: List<Int>
  @Persisted var anything: AnyRealmValue
  @Persisted var sign: Sign?
  @Persisted var signs: List<Sign>
  @Persisted var signsByPlace: Map<String, Sign?>

  override class func propertiesMapping() -> [String: String] { ["place": "location"] }
}

final class Sign: EmbeddedObject {
  @Persisted var text = "keep out"
  @Persisted var author: Cub?
}

final class Cub: Object {
  @Persisted var name: String
  @Persisted var age: Int?
  @Persisted(originProperty: "cubs") var dens: LinkingObjects<Den>
}

@Suite struct DynamicObjectTests {
  private let file = TemporaryRealm([Den.self, Cub.self, Sign.self])

  /// A den with two cubs.
  private func filled() throws -> Realm {
    let realm = try file.open()
    try realm.write {
      let cubs = [Cub(value: ["Ada", 3]), Cub(value: ["Bo", nil as Int? as Any])]
      let den = Den(value: ["id": 7, "scores": [1, 2], "anything": AnyRealmValue.object(cubs[1])])
      den.cubs.append(objectsIn: cubs)
      den.guests.insert(cubs[0])
      den.beds["left"] = cubs[0]
      den.oldest = cubs[0]
      realm.add(den)
    }
    return realm
  }

  /// The same file as a program sees it that has none of the classes.
  private func strange() throws -> Realm {
    var configuration = file.configuration
    configuration.objectTypes = []
    return try Realm(configuration: configuration)
  }

  @Test func propertiesAreReadByName() throws {
    let realm = try filled()
    let den = try #require(realm.dynamicObject(ofType: "Den", forPrimaryKey: 7))
    #expect(den.id as? Int == 7)
    #expect(den["place"] as? String == "wood")
    #expect(den.mood as? String == "wild")
    #expect((den.scores as? List<Int>).map(Array.init) == [1, 2])
    let cubs = try #require(den.cubs as? List<DynamicObject>)
    #expect(cubs.map { $0.name as? String } == ["Ada", "Bo"])
    #expect(cubs[0].age as? Int == 3)
    #expect(cubs[1].age == nil)
    #expect((den.oldest as? DynamicObject)?["name"] as? String == "Ada")
    #expect((den.guests as? MutableSet<DynamicObject>)?.first?.name as? String == "Ada")
    #expect((den.beds as? Map<String, DynamicObject?>)?["left"]??.name as? String == "Ada")
    #expect((cubs[1].dens as? LinkingObjects<DynamicObject>)?.first?.id as? Int == 7)
    #expect(den.value(forKeyPath: "oldest.name") as? String == "Ada")
    #expect((den.anything as? Object)?["name"] as? String == "Bo")
    #expect(den.objectSchema.className == "Den")
    #expect(den.description.contains("place = wood;"))
  }

  @Test func propertiesAreSetByName() throws {
    let realm = try filled()
    let den = try #require(realm.dynamicObjects("Den").first)
    let typed = try #require(realm.object(ofType: Den.self, forPrimaryKey: 7))
    try realm.write {
      den.place = "hill"
      den["mood"] = "calm"
      den.scores = [5, 6, 7]
      den.oldest = nil
      den.cubs = [["name": "Cy", "age": 1] as [String: Any], typed.cubs[0]] as [Any]
      den.beds = ["right": typed.cubs[0], "none": NSNull()] as [String: Any]
    }
    #expect(typed.place == "hill")
    #expect(typed.mood == .calm)
    #expect(Array(typed.scores) == [5, 6, 7])
    #expect(typed.oldest == nil)
    #expect(typed.cubs.map(\.name) == ["Cy", "Ada"])
    #expect(typed.beds.keys == ["none", "right"])
    try realm.write { den.oldest = typed.cubs[1] }
    #expect(typed.oldest?.name == "Ada")
  }

  @Test func typedObjectsGiveTheirCollectionsDynamically() throws {
    let realm = try filled()
    let den = try #require(realm.objects(Den.self).first)
    #expect(den.dynamicList("cubs").map { $0.name as? String } == ["Ada", "Bo"])
    #expect(den.dynamicMutableSet("guests").count == 1)
    let beds: Map<String, DynamicObject?> = den.dynamicMap("beds")
    #expect(beds["left"]??.name as? String == "Ada")
    try realm.write { den.dynamicList("cubs").remove(at: 0) }
    #expect(den.cubs.map(\.name) == ["Bo"])
  }

  @Test func embeddedObjectsAreMadeThroughTheirOwner() throws {
    let realm = try filled()
    let den = try #require(realm.dynamicObjects("Den").first)
    let typed = try #require(realm.objects(Den.self).first)
    try realm.write {
      den.sign = ["text": "beware", "author": typed.cubs[0]] as [String: Any]
      den.signs = [["text": "one"], [:] as [String: Any]] as [Any]
      den.signsByPlace = ["door": ["text": "home"], "none": NSNull()] as [String: Any]
    }
    #expect(typed.sign?.text == "beware" && typed.sign?.author?.name == "Ada")
    #expect(typed.signs.map(\.text) == ["one", "keep out"])
    #expect(typed.signsByPlace["door"]??.text == "home")
    #expect((den.sign as? DynamicObject)?.text as? String == "beware")
    try realm.write {
      realm.dynamicCreate("Den", value: ["id": 9, "sign": typed.sign!, "signs": typed.signs])
      (den.sign as? DynamicObject)?["text"] = "closed"
      den.signs = [Sign(value: ["text": "new"])]
    }
    let copy = try #require(realm.object(ofType: Den.self, forPrimaryKey: 9))
    #expect(copy.sign?.text == "beware" && copy.signs.map(\.text) == ["one", "keep out"])
    #expect(typed.sign?.text == "closed" && typed.signs.map(\.text) == ["new"])
    try realm.write { den.sign = nil }
    #expect(realm.dynamicObjects("Sign").count == 5)
    #expect(realm.instance.snapshot!.storeFindings().isEmpty)
  }

  @Test func objectsAreMadeWithTheDefaultsOfTheirClass() throws {
    let realm = try filled()
    try realm.write {
      let den = realm.dynamicCreate(
        "Den", value: ["id": 8, "cubs": [["name": "Dot"]], "oldest": ["name": "Eli"]])
      #expect(den.place as? String == "wood")
      #expect(den.mood as? String == "wild")
      realm.dynamicCreate("Den", value: ["id": 8, "place": "lake"], update: .modified)
      realm.dynamicCreate("Cub", value: ["Fay", 9] as [Any])
    }
    let den = try #require(realm.object(ofType: Den.self, forPrimaryKey: 8))
    #expect(den.place == "lake")
    #expect(den.mood == .wild)
    #expect(den.cubs.first?.name == "Dot")
    #expect(den.oldest?.name == "Eli")
    #expect(realm.objects(Cub.self).filter("name == 'Fay'").first?.age == 9)
  }

  @Test func resultsAreFilteredSortedAndAddedUp() throws {
    let realm = try filled()
    try realm.write { realm.dynamicCreate("Cub", value: ["Gus", 11] as [Any]) }
    let cubs = realm.dynamicObjects("Cub")
    #expect(cubs.count == 3)
    #expect(
      cubs.filter("age > 2").sorted(byKeyPath: "name", ascending: false)
        .map { $0.name as? String } == ["Gus", "Ada"])
    #expect(cubs.filter("ANY dens.id == 7").count == 2)
    #expect(cubs.sum(ofProperty: "age") == 14)
    #expect(cubs.max(ofProperty: "age") == 11)
    let dens = realm.dynamicObjects("Den")
    #expect(dens.filter("oldest.name == 'Ada' AND ANY cubs.age = 3").count == 1)
    #expect(
      dens.filter("place = 'wood'").first?.dynamicList("cubs").filter("age == nil").count == 1)
  }

  @Test func theyAreObserved() async {
    let observatory = Observatory([Den.self, Cub.self, Sign.self])
    let box = RealmBox()
    observatory.writeElsewhere { realm in realm.dynamicCreate("Den", value: ["id": 7]) }
    observatory.run { realm in
      box.token = realm.dynamicObjects("Cub").observe { change in
        guard case .update(let cubs, _, let insertions, _) = change else {
          return observatory.tell(change.text)
        }
        observatory.tell("\(insertions.map { cubs[$0].name as! String })")
      }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in realm.dynamicCreate("Cub", value: ["name": "Hal"]) }
    #expect(await observatory.next() == #"["Hal"]"#)
    observatory.run { realm in
      let den = realm.dynamicObjects("Den").first!
      box.token = den.observe { (change: ObjectChange<DynamicObject>) in
        guard case .change(let den, let properties) = change else { return }
        observatory.tell("\(properties.map(\.name)) \(den.place as! String)")
      }
    }
    observatory.writeElsewhere { realm in realm.dynamicObjects("Den").first!["place"] = "hill" }
    #expect(await observatory.next() == #"["place"] hill"#)
    observatory.run { _ in box.token = nil }
  }

  @Test func theyFreezeAndCrossThreads() throws {
    let realm = try filled()
    let den = try #require(realm.dynamicObjects("Den").first)
    let frozen = den.freeze()
    let reference = ThreadSafeReference(to: den)
    try realm.write {
      den.place = "hill"
      realm.dynamicCreate("Cub", value: ["name": "Hal"])
    }
    #expect(frozen.place as? String == "wood")
    #expect(frozen.dynamicList("cubs")[0].name as? String == "Ada")
    #expect(frozen.thaw()?.place as? String == "hill")
    #expect(realm.resolve(reference)?.place as? String == "hill")
    try realm.write { realm.delete(realm.dynamicObjects("Cub").filter("name == 'Ada'")) }
    #expect((den.cubs as? List<DynamicObject>)?.count == 1)
  }

  @Test func classesOfTheFileAloneAreThereByName() throws {
    _ = try filled()
    let realm = try strange()
    #expect(realm.schema.objectSchema.map(\.className) == ["Den", "Cub", "Sign"])
    #expect(realm.schema["Den"]?.primaryKeyProperty?.name == "id")
    let den = try #require(realm.dynamicObject(ofType: "Den", forPrimaryKey: 7))
    #expect(den.location as? String == "wood")
    #expect(den.dynamicList("cubs").map { $0.name as? String } == ["Ada", "Bo"])
    #expect((den.anything as? DynamicObject)?.name as? String == "Bo")
    try realm.write {
      den.location = "hill"
      let made = realm.dynamicCreate("Den", value: ["id": 1, "oldest": ["name": "Ivy"]])
      #expect(made.location as? String == "")
      #expect((made.oldest as? DynamicObject)?.name as? String == "Ivy")
    }
    #expect(realm.dynamicObjects("Den").filter("location == 'hill'").count == 1)
    #expect(realm.dynamicObjects("Den").filter("oldest.name IN {'Ivy', 'Ada'}").count == 2)
  }

  @Test func anyValuesGiveTheirObjectsDynamically() throws {
    let realm = try filled()
    let den = try #require(realm.objects(Den.self).first)
    #expect(den.anything.dynamicObject?.name as? String == "Bo")
    #expect(AnyRealmValue.int(3).dynamicObject == nil)
  }

  @Test func wrongNamesAndValuesAreMisuses() async {
    await #expect(processExitsWith: .failure) {
      _ = try DynamicObjectTests().filled().dynamicObjects("Cat")
    }
    await #expect(processExitsWith: .failure) {
      _ = try DynamicObjectTests().filled().dynamicObjects("Den").first!["colour"]
    }
    await #expect(processExitsWith: .failure) {
      let realm = try DynamicObjectTests().filled()
      try realm.write { realm.dynamicObjects("Den").first!["oldest"] = Den() }
    }
    await #expect(processExitsWith: .failure) {
      _ = try DynamicObjectTests().filled().objects(Den.self).first!.dynamicList("scores")
    }
  }
}
