import Foundation
import ObjectStore
import Testing

@testable import RealmSwift

@Suite struct NSPredicateTests {
  private func lowered(_ predicate: NSPredicate) throws(InvalidPredicate) -> QueryPredicate {
    try PredicateLowering.lower(try ParsedPredicate(predicate).condition, for: StubClass.person) {
      _ throws(InvalidPredicate) in .null
    }
  }

  private let isThree = QueryPredicate.compare(.path("age"), .equal, .value(.int(3)))

  @Test func formatStringsMakePredicates() throws {
    #expect(try lowered(NSPredicate(format: "age == 3")) == isThree)
    #expect(try lowered(NSPredicate(format: "%K == %d", "age", 3)) == isThree)
    #expect(try lowered(NSPredicate(format: "age == %@", argumentArray: [3])) == isThree)
    #expect(
      try lowered(NSPredicate(format: "name == %@", nil as String? as Any?))
        == .compare(.path("name"), .equal, .value(.null)))
  }

  @Test func compoundsAndConstants() throws {
    let one = NSPredicate(format: "age == 3")
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [one, NSPredicate(value: true)])
    #expect(try lowered(both) == .and([isThree, .constant(true)]))
    let either = NSCompoundPredicate(orPredicateWithSubpredicates: [one, one, one])
    #expect(try lowered(either) == .or([isThree, isThree, isThree]))
    #expect(try lowered(NSCompoundPredicate(notPredicateWithSubpredicate: one)) == .not(isThree))
    #expect(try lowered(NSCompoundPredicate(andPredicateWithSubpredicates: [])) == .constant(true))
    #expect(try lowered(NSPredicate(value: false)) == .constant(false))
  }

  @Test func compoundsAreNestedToADepth() throws {
    func nested(_ levels: Int) -> NSPredicate {
      (0..<levels).reduce(NSPredicate(format: "age == 3")) { inner, _ in
        NSCompoundPredicate(notPredicateWithSubpredicate: inner)
      }
    }
    #expect(try lowered(nested(1)) == .not(isThree))
    _ = try lowered(nested(200))
    #expect(throws: InvalidPredicate("it is nested too deep")) { try lowered(nested(201)) }
  }

  @Test func blocksAreRefused() {
    let block = NSPredicate { _, _ in true }
    #expect(throws: InvalidPredicate.self) { try lowered(block) }
  }

  @Test func malformedFormatIsMisuse() async {
    await #expect(processExitsWith: .failure) {
      _ = NSPredicate(format: "age ==")
    }
  }
}
