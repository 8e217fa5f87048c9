public import Foundation
import ObjectStore

// Conditions on collections, as closures, strings and `NSPredicate`s. Each gives live results.

extension RealmCollection {
  /// The elements that the condition holds for:
  /// `people.where { $0.age > 30 && $0.name.starts(with: "A") }`.
  @inlinable
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    guard let collection = _queriedCollection else { return Results(nil) }
    return Results(collection._filtered(isIncluded(Query<Element>())))
  }

  /// The elements that the predicate string holds for: `people.filter("age > %@", 30)`. A string
  /// that cannot be read, or that names what does not exist, is a misuse.
  public func filter(_ predicateFormat: String, _ arguments: Any...) -> Results<Element> {
    guard let collection = _queriedCollection else { return Results(nil) }
    return filtered(collection, collection.parsed(predicateFormat, arguments))
  }

  /// The elements that the predicate holds for; not one made from a block.
  public func filter(_ predicate: NSPredicate) -> Results<Element> {
    guard let collection = _queriedCollection else { return Results(nil) }
    return filtered(
      collection,
      checkingPredicate { () throws(InvalidPredicate) in try ParsedPredicate(predicate) })
  }

  /// The elements that Foundation's `#Predicate` holds for. Expressions that have no counterpart in
  /// the realm are a misuse.
  public func `where`(_ predicate: Foundation.Predicate<Element>) -> Results<Element> {
    guard let collection = _queriedCollection else { return Results(nil) }
    let condition = checkingPredicate { () throws(InvalidPredicate) in
      try PredicateScope.convert(predicate)
    }
    return filtered(collection, ParsedPredicate(condition: condition))
  }

  /// The position of the first element that the condition holds for, nil if there is none.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    if let elements = _unmanagedElements {
      return unmanagedIndex(elements, matching: isIncluded(Query<Element>()).condition)
    }
    return `where`(isIncluded).first.flatMap { index(of: $0) }
  }

  /// The position of the first element that the predicate string holds for, nil if there is none.
  public func index(matching predicateFormat: String, _ arguments: Any...) -> Int? {
    if let elements = _unmanagedElements {
      let parsed = checkingPredicate { () throws(InvalidPredicate) in
        try PredicateParser.parse(predicateFormat, arguments)
      }
      return unmanagedIndex(elements, matching: parsed.condition)
    }
    let collection = _collection
    return filtered(collection, collection.parsed(predicateFormat, arguments)).first
      .flatMap { index(of: $0) }
  }

  /// The position of the first element that the predicate holds for, nil if there is none.
  public func index(matching predicate: NSPredicate) -> Int? {
    if let elements = _unmanagedElements {
      let parsed = checkingPredicate { () throws(InvalidPredicate) in
        try ParsedPredicate(predicate)
      }
      return unmanagedIndex(elements, matching: parsed.condition)
    }
    return filter(predicate).first.flatMap { index(of: $0) }
  }

  private func filtered(
    _ collection: _ManagedCollection, _ parsed: ParsedPredicate
  ) -> Results<Element> {
    Results(collection.filtered(parsed))
  }
}

extension _ManagedCollection {
  /// What of the collection the condition holds for.
  @usableFromInline
  func _filtered(_ condition: Query<Bool>) -> _ManagedCollection {
    filtered(ParsedPredicate(condition: condition.condition))
  }

  fileprivate func filtered(_ parsed: ParsedPredicate) -> _ManagedCollection {
    let added = predicate(for: parsed.condition)
    let filtered = with { query in
      query.predicate = query.predicate.isTrue ? added : .and([query.predicate, added])
      for stage in parsed.stages { query.append(self.stage(for: stage)) }
    }
    #if Sync
      filtered.conditions.append { SubscriptionText.text(of: parsed.condition) }
    #endif
    return filtered
  }

  /// The condition that a predicate string and its arguments say.
  fileprivate func parsed(_ text: String, _ arguments: [Any]) -> ParsedPredicate {
    checkingPredicate { () throws(InvalidPredicate) in
      // What is frozen may be asked by several threads at once.
      if instance.isFrozen { return try PredicateParser.parse(text, arguments) }
      instance.checkThread()
      return try instance.predicateTemplates.parse(text, arguments)
    }
  }

  /// The condition in the engine's terms. Objects that it names must be of this realm; those that
  /// are of none equal nothing in it.
  func predicate(for condition: PredicateNode) -> QueryPredicate {
    // What most conditions are; nothing that the others need is made for it.
    if case .comparison(let left, let comparison, let right, let options) = condition, let binding,
      let plain = binding.info.plain(left, comparison, right, TextOptions(options))
    {
      return plain
    }
    let names = PredicateNames(instance: instance)
    return checkingPredicate { () throws(InvalidPredicate) in
      try PredicateLowering.lower(
        condition, for: binding.map(instance.predicateClass),
        classNamed: { names.predicateClass(named: $0) },
        object: { (name, key) throws(InvalidPredicate) in
          try names.link(toObjectOf: name, primaryKey: key)
        },
        link: { object throws(InvalidPredicate) in try names.link(to: object) }
      )
    }
  }

  fileprivate func stage(for stage: PredicateStage) -> QueryStage {
    switch stage {
    case .sort(let descriptors):
      .sort(descriptors.map { SortKey(path($0.keyPath), ascending: $0.ascending) })
    case .distinct(let keyPaths): .distinct(keyPaths.map { path($0) })
    case .limit(let count): .limit(count)
    }
  }
}

/// What a condition's classes and objects are in a realm.
private struct PredicateNames {
  let instance: _RealmInstance

  private func binding(named name: String) -> TableBinding? {
    instance.schema.description.description(of: name)
      .flatMap { instance.bound.binding(for: $0.tableKey) }
  }

  func predicateClass(named name: String) -> (any PredicateClass)? {
    binding(named: name).map(instance.predicateClass)
  }

  func link(to object: ObjectBase) throws(InvalidPredicate) -> StoredValue {
    if !object._isManaged { return .unequalled }
    guard let link = instance.existingLink(to: object) else {
      throw InvalidPredicate(
        "Object of type '\(type(of: object).className())' must be managed by the Realm that "
          + "is queried", name: "Invalid value")
    }
    return link
  }

  /// The object of a class with that primary key; a link that goes nowhere if there is none.
  func link(
    toObjectOf className: String, primaryKey: StoredValue
  ) throws(InvalidPredicate) -> StoredValue {
    guard let binding = binding(named: className), let property = binding.primaryKey else {
      throw InvalidPredicate("There is no class '\(className)' with a primary key")
    }
    guard property.isKind(of: primaryKey) else { return .unequalled }
    return instance.find(binding, primaryKey: primaryKey).map { .link(binding.table, $0) }
      ?? .unequalled
  }
}

extension PropertyDescription {
  /// Whether the value is of the property's kind, or null where that may be.
  fileprivate func isKind(of value: StoredValue) -> Bool {
    switch (kind, value) {
    case (.int, .int), (.string, .string), (.objectId, .objectId), (.uuid, .uuid), (.bool, .bool):
      true
    case (_, .null): isOptional
    default: false
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
        isCollection: property.description.collection != .none,
        isMap: property.description.collection == .map, target: target)
    }
    guard let target, let origin = target.predicateProperty(property.originProperty ?? ""),
      case .property(let column) = origin.step
    else { return nil }
    return PredicateProperty(
      step: .backlinks(className: target.predicateName, property: column), type: .linkingObjects,
      isCollection: true, target: target)
  }
}
