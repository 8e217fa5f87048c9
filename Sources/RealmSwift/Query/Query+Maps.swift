// Conditions on maps. A comparison of the values holds if it holds for any of them.

extension Query where T: RealmKeyedCollection {
  /// The value of the key; nil if the map does not have it.
  public subscript(key: T.Key) -> Query<T.Value> {
    Query<T.Value>(appending(.key(key._keyText), ofCollection: true))
  }

  /// The values: a condition holds if it holds for any of them.
  public var values: Query<T.Value> { Query<T.Value>(appending(["@allValues"])) }

  /// How many keys the map has.
  public var count: Query<Int> { Query<Int>(appending(aggregate: "@count")) }

  /// Whether the value is that of any key.
  public func contains(_ value: T.Value) -> Query<Bool> {
    Self.compare(.value(value), .isIn, collection)
  }

  /// Whether any of the values is that of a key.
  public func containsAny<U: Sequence>(in values: U) -> Query<Bool> where U.Element == T.Value {
    compare(.isIn, Array(values))
  }

  /// Whether any value equals the other one.
  public static func == (left: Query<T>, right: T.Value) -> Query<Bool> {
    left.compare(.equal, right)
  }

  /// Whether any value differs from the other one.
  public static func != (left: Query<T>, right: T.Value) -> Query<Bool> {
    left.compare(.notEqual, right)
  }
}

extension Query where T: RealmKeyedCollection, T.Key == String {
  /// The keys: a condition holds if it holds for any of them.
  public var keys: Query<String> { Query<String>(appending(["@allKeys"])) }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable {
  /// Whether the smallest and the largest value lie in the range.
  public func contains(_ range: Range<T.Value>) -> Query<Bool> {
    bounds(range.lowerBound, .less, range.upperBound)
  }

  /// Whether the smallest and the largest value lie in the range.
  public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
    bounds(range.lowerBound, .lessOrEqual, range.upperBound)
  }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: Comparable {
  /// Whether the smallest and the largest value lie in the range.
  public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
    bounds(range.lowerBound, .less, range.upperBound)
  }

  /// Whether the smallest and the largest value lie in the range.
  public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
    bounds(range.lowerBound, .lessOrEqual, range.upperBound)
  }
}

extension Query where T: RealmKeyedCollection, T.Value.PersistedType: _QueryNumeric {
  /// The smallest value.
  public var min: Query<T.Value> { Query<T.Value>(appending(aggregate: "@min")) }
  /// The largest value.
  public var max: Query<T.Value> { Query<T.Value>(appending(aggregate: "@max")) }
  /// The mean of the values.
  public var avg: Query<T.Value> { Query<T.Value>(appending(aggregate: "@avg")) }
  /// The sum of the values.
  public var sum: Query<T.Value> { Query<T.Value>(appending(aggregate: "@sum")) }
}

// MARK: - Types of the user's

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum {
  /// The raw values.
  public var rawValue: Query<Map<T.Key, T.Value.RawValue>> {
    Query<Map<T.Key, T.Value.RawValue>>(operand)
  }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: PersistableEnum {
  /// The raw values.
  public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> {
    Query<Map<T.Key, T.Value.Wrapped.RawValue?>>(operand)
  }
}

extension Query where T: RealmKeyedCollection, T.Value: _CustomPersistable {
  /// The values as they are stored.
  public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
    Query<Map<T.Key, T.Value.PersistedType>>(operand)
  }
}

extension Query
where T: RealmKeyedCollection, T.Value: OptionalProtocol, T.Value.Wrapped: _CustomPersistable {
  /// The values as they are stored.
  public var persistableValue: Query<Map<T.Key, T.Value.Wrapped.PersistedType?>> {
    Query<Map<T.Key, T.Value.Wrapped.PersistedType?>>(operand)
  }
}
