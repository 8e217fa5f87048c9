import ObjectStore

/// What a predicate must know about a class: its properties by their Swift names.
protocol PredicateClass {
  var predicateName: String { get }
  func predicateProperty(_ name: String) -> PredicateProperty?
  /// The property with that name, if it is neither a collection nor computed; nil also where that
  /// is not known beforehand.
  func plainProperty(_ name: String) -> PlainProperty?
}

/// A property as predicates see it.
struct PredicateProperty {
  /// The way to it in the file.
  var step: QueryPath.Step
  /// The kind of the value, or of the collection's elements.
  var type: PropertyType
  /// Whether it is a list, a set, a map, or linking objects.
  var isCollection: Bool
  var isMap = false
  /// The class that it leads to.
  var target: (any PredicateClass)?
}
