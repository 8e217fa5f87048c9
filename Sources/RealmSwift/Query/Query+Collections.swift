// Conditions on collections. A comparison holds if it holds for any element.

extension Query where T: RealmCollection {
  /// Whether any element equals the value.
  public static func == (left: Query<T>, right: T.Element) -> Query<Bool> {
    left.compare(.equal, right)
  }

  /// Whether any element differs from the value.
  public static func != (left: Query<T>, right: T.Element) -> Query<Bool> {
    left.compare(.notEqual, right)
  }

  /// Whether the element is in the collection.
  public func contains(_ element: T.Element) -> Query<Bool> {
    Self.compare(.value(element), .isIn, collection)
  }

  /// Whether any of the elements is in the collection.
  public func containsAny<U: Sequence>(in elements: U) -> Query<Bool>
  where U.Element == T.Element {
    compare(.isIn, Array(elements))
  }

  /// How many elements the collection has.
  public var count: Query<Int> { Query<Int>(appending(aggregate: "@count")) }
}

extension Query where T: RealmCollection, T.Element: Comparable {
  /// Whether the smallest and the largest element lie in the range.
  public func contains(_ range: Range<T.Element>) -> Query<Bool> {
    bounds(range.lowerBound, .less, range.upperBound)
  }

  /// Whether the smallest and the largest element lie in the range.
  public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> {
    bounds(range.lowerBound, .lessOrEqual, range.upperBound)
  }
}

extension Query
where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: Comparable {
  /// Whether the smallest and the largest element lie in the range.
  public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> {
    bounds(range.lowerBound, .less, range.upperBound)
  }

  /// Whether the smallest and the largest element lie in the range.
  public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> {
    bounds(range.lowerBound, .lessOrEqual, range.upperBound)
  }
}

extension Query where T: RealmCollection, T.Element.PersistedType: _QueryNumeric {
  /// Whether any element is greater than the value.
  public static func > (left: Query<T>, right: T.Element) -> Query<Bool> {
    left.compare(.greater, right)
  }

  /// Whether any element is less than the value.
  public static func < (left: Query<T>, right: T.Element) -> Query<Bool> {
    left.compare(.less, right)
  }

  /// Whether any element is greater than or equal to the value.
  public static func >= (left: Query<T>, right: T.Element) -> Query<Bool> {
    left.compare(.greaterOrEqual, right)
  }

  /// Whether any element is less than or equal to the value.
  public static func <= (left: Query<T>, right: T.Element) -> Query<Bool> {
    left.compare(.lessOrEqual, right)
  }

  /// The smallest element.
  public var min: Query<T.Element> { Query<T.Element>(appending(aggregate: "@min")) }
  /// The largest element.
  public var max: Query<T.Element> { Query<T.Element>(appending(aggregate: "@max")) }
  /// The mean of the elements.
  public var avg: Query<T.Element> { Query<T.Element>(appending(aggregate: "@avg")) }
  /// The sum of the elements.
  public var sum: Query<T.Element> { Query<T.Element>(appending(aggregate: "@sum")) }
}

extension Query where T: RealmCollection, T.Element: PersistableEnum {
  /// The raw values.
  public var rawValue: Query<List<T.Element.RawValue>> {
    Query<List<T.Element.RawValue>>(operand)
  }
}

extension Query
where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: PersistableEnum {
  /// The raw values.
  public var rawValue: Query<List<T.Element.Wrapped.RawValue?>> {
    Query<List<T.Element.Wrapped.RawValue?>>(operand)
  }
}

extension Query
where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: _CustomPersistable {
  /// The values as they are stored.
  public var persistableValue: Query<List<T.Element.Wrapped.PersistedType?>> {
    Query<List<T.Element.Wrapped.PersistedType?>>(operand)
  }
}

extension Query where T: RealmCollection, T.Element: _CustomPersistable {
  /// The values as they are stored.
  public var persistableValue: Query<List<T.Element.PersistedType>> {
    Query<List<T.Element.PersistedType>>(operand)
  }
}

extension Query {
  /// Whether the smallest and the largest element of a collection lie within bounds.
  func bounds(
    _ lower: Any, _ comparison: PredicateOperator, _ upper: Any
  ) -> Query<Bool> {
    Query<Bool>(
      .and(
        .comparison(appending(aggregate: "@min"), .greaterOrEqual, .value(lower), []),
        .comparison(appending(aggregate: "@max"), comparison, .value(upper), [])))
  }
}
