import Testing

@testable import RealmSwift

/// Classes that do not fit together are refused when a realm is opened.
@Suite struct SchemaValidationTests {
  /// Kept out of realms that are opened without a list of classes.
  enum Faulty {
    final class Part: EmbeddedObject {
      @Persisted var name: String
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    final class KeyedPart: EmbeddedObject {
      @Persisted(primaryKey: true) var id: Int
      @Persisted var parts: List<Part>
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    final class SetOwner: Object {
      @Persisted var parts: MutableSet<Part>
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    final class Owner: Object {
      @Persisted var part: KeyedPart?
      @Persisted var owners: List<Owner>
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    final class Astray: Object {
      @Persisted(originProperty: "name") var notALink: LinkingObjects<Linking>
      @Persisted(originProperty: "none") var notThere: LinkingObjects<Linking>
      @Persisted(originProperty: "owner") var elsewhere: LinkingObjects<Linking>
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    final class Linking: Object {
      @Persisted var name: String
      @Persisted var owner: Owner?
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
  }

  private func refusal(_ types: [ObjectBase.Type]) -> [String] {
    let file = TemporaryRealm(types)
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    #expect(error?.code == .fail)
    let lines = error?.localizedDescription.split(separator: "\n").map(String.init) ?? []
    #expect(lines.first?.contains("Schema validation failed due to the following errors:") == true)
    return lines.filter { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
  }

  @Test func aLinkedClassThatIsNotListed() {
    #expect(
      refusal([Faulty.Owner.self]) == [
        "Property 'Owner.part' of type 'object' has unknown object type 'KeyedPart'"
      ])
  }

  @Test func anEmbeddedClassWithAPrimaryKeyAndAListOfAClassThatIsNotListed() {
    #expect(
      refusal([Faulty.Owner.self, Faulty.KeyedPart.self]) == [
        "Embedded object type 'KeyedPart' cannot have a primary key.",
        "Property 'KeyedPart.parts' of type 'array' has unknown object type 'Part'",
      ])
  }

  @Test func aSetOfEmbeddedObjects() {
    #expect(
      refusal([Faulty.SetOwner.self, Faulty.Part.self]) == [
        "Set property 'SetOwner.parts' cannot contain embedded object type 'Part'. Set semantics "
          + "are not applicable to embedded objects."
      ])
  }

  @Test func anEmbeddedClassThatNothingOwns() {
    #expect(
      refusal([House.self, Room.self, Niche.self, Faulty.Part.self]) == [
        "Embedded object 'Part' is unreachable by any link path from top level objects."
      ])
  }

  @Test func linkingObjectsWhoseOriginIsNoSuchLink() {
    let found = refusal([
      Faulty.Astray.self, Faulty.Linking.self, Faulty.Owner.self, Faulty.KeyedPart.self,
      Faulty.Part.self,
    ])
    #expect(
      found.filter { $0.contains("Linking") } == [
        "Property 'Linking.name' declared as origin of linking objects property 'Astray.notALink' "
          + "is not a link",
        "Property 'Linking.none' declared as origin of linking objects property 'Astray.notThere' "
          + "does not exist",
        "Property 'Linking.owner' declared as origin of linking objects property "
          + "'Astray.elsewhere' links to type 'Owner'",
      ])
  }
}
