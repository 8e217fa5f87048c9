import Foundation
import Testing

@testable import RealmSwift

@Suite struct SchemaTests {
  private let dog = ObjectSchema(
    className: "Dog",
    objectClass: NSObject.self,
    properties: [
      Property(name: "id", type: .objectId, isIndexed: true),
      Property(
        name: "owner",
        columnName: "_owner",
        type: .object,
        isOptional: true,
        objectClassName: "Person"
      ),
    ],
    primaryKeyProperty: Property(name: "id", type: .objectId, isIndexed: true)
  )

  @Test func classesAndPropertiesAreFoundByName() {
    let schema = Schema([dog])
    #expect(schema["Dog"] == dog)
    #expect(schema["Cat"] == nil)
    #expect(dog["owner"]?.objectClassName == "Person")
    #expect(dog["owner"]?.columnName == "_owner")
    #expect(dog["age"] == nil)
    #expect(dog.primaryKeyProperty?.name == "id")
  }

  @Test func typesKeepTheirNumbers() {
    #expect(PropertyType.allCases.map(\.rawValue) == Array(0...12))
    #expect(PropertyType.UUID.rawValue == 12)
  }

  @Test func descriptionNestsClassesAndProperties() {
    let text = Schema([dog]).description
    #expect(text.hasPrefix("Schema {\n\tDog {\n\t\tprimaryKey = id;\n\t\tid {\n"))
    #expect(text.contains("\t\t\tobjectClassName = Person;\n"))
  }

  @Test func sortDescriptorsReverse() {
    let descriptor: RealmSwift.SortDescriptor = "owner.name"
    #expect(descriptor.ascending)
    #expect(descriptor.reversed() == SortDescriptor(keyPath: "owner.name", ascending: false))
    #expect(
      descriptor.reversed().description
        == "SortDescriptor(keyPath: owner.name, direction: descending)"
    )
  }
}

@Suite struct LinuxConveniencesTests {
  @Test func indexPathsHaveSectionsAndItems() {
    var path = IndexPath(item: 4, section: 2)
    #expect(path == IndexPath(indexes: [2, 4]))
    #expect((path.section, path.item, path.row) == (2, 4, 4))
    path.row = 5
    path.section = 1
    #expect(path == IndexPath(row: 5, section: 1))
  }

  @Test func autoreleasePoolRunsItsBody() throws {
    struct Stop: Error {}
    #expect(autoreleasepool { 3 } == 3)
    #expect(throws: Stop.self) { try autoreleasepool { throw Stop() } }
  }
}
