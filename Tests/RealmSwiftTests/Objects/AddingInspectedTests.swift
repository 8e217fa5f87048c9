import Foundation
import RealmSwift
import TestSupport
import Testing

/// A value whose conversion, in the middle of adding its object, does what a test asks for.
private struct Inspecting: CustomPersistable {
  enum Step { case count, deleteAll }
  @TaskLocal static var step: (Step, Realm.Configuration)?

  var text = ""

  init(persistedValue: String) { text = persistedValue }
  var persistableValue: String {
    guard let (step, configuration) = Self.step else { return text }
    return Self.$step.withValue(nil) {
      let realm = try! Realm(configuration: configuration)
      let all = realm.objects(Inspected.self)
      switch step {
      case .count:
        #expect(all.where { $0.late == 0 }.count == all.filter { $0.late == 0 }.count)
        #expect(all.where { $0.none == nil }.count == all.filter { $0.none == nil }.count)
      case .deleteAll: realm.deleteAll()
      }
      return text
    }
  }
}

private final class Inspected: Object {
  @Persisted(indexed: true) var none: Int?
  @Persisted(indexed: true) var value = Inspecting(persistedValue: "")
  @Persisted(indexed: true) var late: Int
}

@Suite struct AddingInspectedTests {
  private let file = TemporaryDirectory()
  private var configuration: Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: file.file("a.realm")), objectTypes: [Inspected.self])
  }

  private func added(_ step: Inspecting.Step) throws -> Results<Inspected> {
    let realm = try Realm(configuration: configuration)
    try realm.write {
      realm.add(Inspected())
      let second = Inspected()
      Inspecting.$step.withValue((step, configuration)) { realm.add(second) }
    }
    return realm.objects(Inspected.self)
  }

  @Test func `a query in the middle of an add finds the object by its indexes`() throws {
    #expect(try added(.count).where { $0.late == 0 }.count == 2)
  }

  @Test func `all objects deleted in the middle of an add leave nothing in the indexes`() throws {
    let all = try added(.deleteAll)
    #expect(all.isEmpty)
    #expect(all.where { $0.late == 0 }.count == 0 && all.where { $0.none == nil }.count == 0)
  }
}
