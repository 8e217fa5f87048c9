public import Foundation
import ObjectStore

// Conditions on collections, as closures, strings and `NSPredicate`s. Each gives live results.

extension RealmCollection {
  /// The elements that the condition holds for:
  /// `people.where { $0.age > 30 && $0.name.starts(with: "A") }`.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    filtered(isIncluded(Query<Element>()).condition)
  }

  /// The elements that the predicate string holds for: `people.filter("age > %@", 30)`. A string
  /// that cannot be read, or that names what does not exist, is a misuse.
  public func filter(_ predicateFormat: String, _ arguments: Any...) -> Results<Element> {
    let collection = _collection
    return filtered(collection, collection.instance.parsed(predicateFormat, arguments))
  }

  /// The elements that the predicate holds for; not one made from a block.
  public func filter(_ predicate: NSPredicate) -> Results<Element> {
    filtered(converted(predicate))
  }

  /// The elements that Foundation's `#Predicate` holds for. Expressions that have no counterpart in
  /// the realm are a misuse.
  public func `where`(_ predicate: Foundation.Predicate<Element>) -> Results<Element> {
    filtered(
      checkingPredicate { () throws(InvalidPredicate) in try PredicateScope.convert(predicate) })
  }

  /// The position of the first element that the condition holds for, nil if there is none.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    `where`(isIncluded).first.flatMap { index(of: $0) }
  }

  /// The position of the first element that the predicate string holds for, nil if there is none.
  public func index(matching predicateFormat: String, _ arguments: Any...) -> Int? {
    let collection = _collection
    return filtered(collection, collection.instance.parsed(predicateFormat, arguments)).first
      .flatMap { index(of: $0) }
  }

  /// The position of the first element that the predicate holds for, nil if there is none.
  public func index(matching predicate: NSPredicate) -> Int? {
    filter(predicate).first.flatMap { index(of: $0) }
  }

  private func filtered(_ condition: PredicateNode) -> Results<Element> {
    filtered(_collection, condition)
  }

  private func filtered(
    _ collection: _ManagedCollection, _ condition: PredicateNode
  ) -> Results<Element> {
    let added = collection.predicate(for: condition)
    return Results(
      collection.with { query in
        query.predicate = query.predicate.isTrue ? added : .and([query.predicate, added])
      })
  }
}

extension _RealmInstance {
  /// The condition that a predicate string and its arguments say.
  fileprivate func parsed(_ text: String, _ arguments: [Any]) -> PredicateNode {
    checkingPredicate { () throws(InvalidPredicate) in
      // What is frozen may be asked by several threads at once.
      if isFrozen { return try PredicateParser.parse(text, arguments) }
      checkThread()
      return try predicateTemplates.parse(text, arguments)
    }
  }
}

private func converted(_ predicate: NSPredicate) -> PredicateNode {
  checkingPredicate { () throws(InvalidPredicate) in try PredicateNode(predicate) }
}

extension _ManagedCollection {
  /// The condition in the engine's terms. Objects that it names must be of this realm; those that
  /// are of none equal nothing in it.
  func predicate(for condition: PredicateNode) -> QueryPredicate {
    checkingPredicate { () throws(InvalidPredicate) in
      try PredicateLowering.lower(condition, for: binding.map(instance.predicateClass)) {
        [instance] object throws(InvalidPredicate) in
        if !object._isManaged { return .unequalled }
        guard let link = instance.existingLink(to: object) else {
          throw InvalidPredicate(
            "Object of type '\(type(of: object).className())' must be managed by the Realm that "
              + "is queried", name: "Invalid value")
        }
        return link
      }
    }
  }
}

extension StoredValue {
  /// A link that goes nowhere.
  fileprivate static var unequalled: StoredValue { .link(.unassigned, ObjectKey(rawValue: -1)) }
}

extension ClassInfo: PredicateClass {
  var predicateName: String { name }

  func plainProperty(_ name: String) -> PlainProperty? {
    index(ofProperty: name).flatMap { plainProperties[$0] }
  }

  func predicateProperty(_ name: String) -> PredicateProperty? {
    predicateProperty(name) { $0.description.target.map { ClassInfo.of($0) } }
  }

  /// - Parameter target: the class that a property leads to.
  func predicateProperty<Target: PredicateClass>(
    _ name: String, target: (PropertyInfo) -> Target?
  ) -> PredicateProperty? {
    guard let property = property(named: name) else { return nil }
    let target = target(property)
    guard property.description.type == .linkingObjects else {
      return PredicateProperty(
        step: .property(property.columnName), type: property.description.type,
        isCollection: property.description.collection != .none, target: target)
    }
    guard let target, let origin = target.predicateProperty(property.originProperty ?? ""),
      case .property(let column) = origin.step
    else { return nil }
    return PredicateProperty(
      step: .backlinks(className: target.predicateName, property: column), type: .linkingObjects,
      isCollection: true, target: target)
  }
}
