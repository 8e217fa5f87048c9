import Foundation
import ObjectStore
import Testing

@testable import RealmSwift

/// Classes for predicates, without a realm: people with dogs, in which file and Swift name one
/// property differently.
struct StubClass: PredicateClass {
  var predicateName: String
  /// Type and name in the file by Swift name.
  private let scalars: [String: (PropertyType, String)]
  private let lists: Set<String>
  private let links: [String: @Sendable () -> StubClass]
  private let origin: String?

  static var person: StubClass {
    StubClass(
      predicateName: "Person",
      scalars: [
        "name": (.string, "name"), "age": (.int, "age"), "isAdult": (.bool, "is_adult"),
        "score": (.any, "score"),
      ],
      lists: ["dogs", "numbers"],
      links: ["dogs": { StubClass.dog }, "bestDog": { StubClass.dog }], origin: nil)
  }

  static var dog: StubClass {
    StubClass(
      predicateName: "Dog", scalars: ["name": (.string, "name"), "age": (.int, "age")],
      lists: ["toys", "owners"],
      links: ["toys": { StubClass.dog }, "owners": { StubClass.person }], origin: "owners")
  }

  func predicateProperty(_ name: String) -> PredicateProperty? {
    if name == origin {
      return PredicateProperty(
        step: .backlinks(className: "Person", property: "dogs"), type: .linkingObjects,
        isCollection: true, target: StubClass.person)
    }
    if let link = links[name] {
      return PredicateProperty(
        step: .property(name), type: .object, isCollection: lists.contains(name), target: link())
    }
    if lists.contains(name) {
      return PredicateProperty(step: .property(name), type: .int, isCollection: true)
    }
    return scalars[name].map {
      PredicateProperty(step: .property($1), type: $0, isCollection: false)
    }
  }
}

/// The engine's predicate for a string.
func lowered(
  _ text: String, _ arguments: Any?..., on type: StubClass? = .person
) throws(InvalidPredicate) -> QueryPredicate {
  let node = try PredicateParser.parse(text, arguments)
  return try PredicateLowering.lower(node.condition, for: type) { _ throws(InvalidPredicate) in
    .link(TableKey(rawValue: 1), ObjectKey(rawValue: 7))
  }
}
