import ModelMigration
import Testing

@Suite struct ModelMigrationTests {
  private func migrated(_ source: String) -> String { ModelMigration([source]).run()[0].text }

  @Test func dynamicPropertiesBecomePersisted() {
    let source = """
      import RealmSwift

      // A dog.
      class Dog: Object {
        @objc dynamic var name = ""
        @objc dynamic var age: Int = 3  // years
        /// Who keeps it.
        @objc dynamic private(set) var owner: Person?
        @objc public dynamic var tags = "", notes = "none"
        @objc dynamic var weight = 0.0 {
          didSet { print(weight) }
        }
        var title: String { name + "!" }
        var cache = 0
        static var all = 1
      }
      """
    #expect(
      migrated(source) == """
        import RealmSwift

        // A dog.
        class Dog: Object {
          @Persisted var name = ""
          @Persisted var age: Int = 3  // years
          /// Who keeps it.
          @Persisted private(set) var owner: Person?
          @Persisted public var tags = ""
          @Persisted public var notes = "none"
          @Persisted var weight = 0.0 {
            didSet { print(weight) }
          }
          var title: String { name + "!" }
          var cache = 0
          static var all = 1
        }
        """)
  }

  @Test func requiredInitialisersSayThatTheyOverride() {
    let source = """
      class Dog: Object {
        @objc dynamic var name = ""
        public required init() { super.init() }
        required init(name: String) { super.init() }
      }
      class Puppy: Dog {
        required init() { super.init() }
      }
      """
    #expect(
      migrated(source) == """
        class Dog: Object {
          @Persisted var name = ""
          public required override init() { super.init() }
          required init(name: String) { super.init() }
        }
        class Puppy: Dog {
          required init() { super.init() }
        }
        """)
  }

  @Test func collectionsAndLinkingObjectsLoseTheirInitialisers() {
    let source = """
      class Person: Object {
        let dogs = List<Dog>()
        let names: List<String?> = List<String?>()
        let ids = MutableSet<Int>()
        let counts = Map<String, Int>()
        public let owners = LinkingObjects(fromType: House.self, property: "people")
        let formatter = DateFormatter()
      }
      """
    #expect(
      migrated(source) == """
        class Person: Object {
          @Persisted var dogs: List<Dog>
          @Persisted var names: List<String?>
          @Persisted var ids: MutableSet<Int>
          @Persisted var counts: Map<String, Int>
          @Persisted(originProperty: "people") public var owners: LinkingObjects<House>
          let formatter = DateFormatter()
        }
        """)
  }

  @Test func keysAndIndexesMoveToTheirProperties() {
    let source = """
      final class Item: EmbeddedObject {
        @objc dynamic var id = 0
        @objc dynamic var name = ""
        @objc dynamic var temporary = 1

        // The key.
        override static func primaryKey() -> String? {
          return "id"
        }

        override class func indexedProperties() -> [String] { [#keyPath(Item.name)] }

        override static func ignoredProperties() -> [String] { return ["temporary"] }

        func run() {}
      }
      """
    #expect(
      migrated(source) == """
        final class Item: EmbeddedObject {
          @Persisted(primaryKey: true) var id = 0
          @Persisted(indexed: true) var name = ""
          var temporary = 1

          func run() {}
        }
        """)
  }

  @Test func boxedOptionalsBecomeOptionalsAndAreTold() {
    let source = """
      class Item: Object {
        let age = RealmOptional<Int>()
        let size = RealmOptional<Double>(2.5)
        let flag = RealmProperty<Bool?>()
      }
      """
    let result = ModelMigration([source]).run()[0]
    #expect(
      result.text == """
        class Item: Object {
          @Persisted var age: Int?
          @Persisted var size: Double? = 2.5
          @Persisted var flag: Bool?
        }
        """)
    #expect(result.notes.map(\.line) == [2, 3, 4])
    #expect(result.notes[0].text.contains("replace 'age.value' by 'age'"))
  }

  @Test func whatIsNotUnderstoodStaysAndIsTold() {
    let source = """
      class Item: Object {
        override static func primaryKey() -> String? {
          if isOld { return "old" }
          return "id"
        }
      }
      """
    let result = ModelMigration([source]).run()[0]
    #expect(result.text == source)
    #expect(result.notes.map(\.line) == [2])
    #expect(
      result.notes.map(\.text) == [
        "'primaryKey' does more than return names: rewrite it by hand"
      ])
  }

  @Test func subclassesInOtherSourcesAreModels() {
    let results = ModelMigration([
      "class Base: RealmSwift.Object { @objc dynamic var id = 0 }",
      "class Derived: Base { @objc dynamic var name = \"\" }",
      "class View: NSObject { @objc dynamic var name = \"\"\n  let dogs = List<Dog>() }",
    ]).run()
    #expect(results[0].text == "class Base: RealmSwift.Object { @Persisted var id = 0 }")
    #expect(results[1].text == "class Derived: Base { @Persisted var name = \"\" }")
    #expect(results[2].text.contains("@objc dynamic var name"))
    #expect(results[2].text.contains("let dogs = List<Dog>()"))
  }

  @Test func attributesForObjectiveCGo() {
    let source = """
      @objcMembers
      public class Item: Object {
        dynamic var name = ""
        var kind = Kind.small
      }

      @objc enum Kind: Int, RealmEnum {
        case small, large
      }
      """
    #expect(
      migrated(source) == """
        public class Item: Object {
          @Persisted var name = ""
          @Persisted var kind = Kind.small
        }

        enum Kind: Int, PersistableEnum {
          case small, large
        }
        """)
  }

  @Test func migratedModelsStayAsTheyAre() {
    let source = """
      class Dog: Object {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var name = ""
        let queue = DispatchQueue(label: "x")
      }
      """
    #expect(migrated(source) == source)
    let once = migrated("class A: Object {\n  @objc dynamic var x = 0\n}\n")
    #expect(migrated(once) == once)
  }

  @Test func differencesAreInTheFormOfPatch() {
    let old = (1...12).map { "line \($0)" }.joined(separator: "\n")
    let new = old.replacing("line 3", with: "three").replacing("\nline 11", with: "")
    #expect(UnifiedDiff.text(from: old, to: old, path: "a") == "")
    let lines = UnifiedDiff.text(from: old, to: new, path: "a.swift").split(separator: "\n")
    #expect(lines.prefix(3) == ["--- a.swift", "+++ a.swift", "@@ -1,6 +1,6 @@"])
    #expect(lines.contains("-line 3") && lines.contains("+three") && lines.contains("-line 11"))
    #expect(lines.contains("@@ -8,5 +8,4 @@"))
  }
}
