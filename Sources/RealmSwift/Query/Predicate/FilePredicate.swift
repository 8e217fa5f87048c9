import ObjectStore

/// A predicate string about the classes that a file has, for programs that have no Swift classes
/// for them: the sync server.
@_spi(Files)
public struct FilePredicate {
  /// The condition in the engine's terms.
  public let predicate: QueryPredicate
  /// Whether the string has nothing but a condition: no `SORT`, `DISTINCT` or `LIMIT`.
  public let isCondition: Bool

  /// Reads a string. It may come from anyone: whatever is wrong with it is thrown.
  ///
  /// - Parameter object: the object of a class with that primary key, for `obj("Dog", 3)`.
  public init(
    _ text: String, className: String, schema: SchemaDescription,
    object: @escaping (String, StoredValue) -> StoredValue?
  ) throws(QueryError) {
    do throws(InvalidPredicate) {
      let parsed = try PredicateParser.parse(text, [])
      isCondition = parsed.stages.isEmpty
      predicate = try PredicateLowering.lower(
        parsed.condition, for: StoredClass(className, schema),
        classNamed: { StoredClass($0, schema) },
        object: { (name, key) throws(InvalidPredicate) in
          object(name, key) ?? .link(.unassigned, ObjectKey(rawValue: -1))
        },
        link: { _ throws(InvalidPredicate) in
          throw InvalidPredicate("An object cannot be an argument here")
        })
    } catch {
      throw QueryError(error.reason)
    }
  }
}

/// A class of a file as predicates see it.
private struct StoredClass: PredicateClass {
  let description: ClassDescription
  let schema: SchemaDescription

  init?(_ name: String, _ schema: SchemaDescription) {
    guard let description = schema.description(of: name) else { return nil }
    self.description = description
    self.schema = schema
  }

  var predicateName: String { description.name }

  func predicateProperty(_ name: String) -> PredicateProperty? {
    guard let property = description.property(named: name) else { return nil }
    return PredicateProperty(
      step: .property(name), type: PropertyType(property.kind),
      isCollection: property.isCollection, isMap: property.collection == .map,
      target: property.linkTarget.flatMap { StoredClass($0, schema) })
  }
}
