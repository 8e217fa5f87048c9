// Comparisons of values.

extension Query {
  /// Whether the value equals a constant.
  public static func == (left: Query<T>, right: T) -> Query<Bool> {
    left.content.compared(.equal, to: right)
  }
  /// Whether the value differs from a constant.
  public static func != (left: Query<T>, right: T) -> Query<Bool> { left.compare(.notEqual, right) }

  /// Whether the value equals that of another property.
  public static func == (left: Query<T>, right: Query<T>) -> Query<Bool> {
    compare(left.operand, .equal, right.operand)
  }

  /// Whether the value differs from that of another property.
  public static func != (left: Query<T>, right: Query<T>) -> Query<Bool> {
    compare(left.operand, .notEqual, right.operand)
  }

  /// Whether the value is one of these.
  public func `in`<U: Sequence>(_ values: U) -> Query<Bool> where U.Element == T {
    compare(.isIn, Array(values))
  }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryNumeric {
  /// Whether the value is greater than a constant.
  public static func > (left: Query<T>, right: T) -> Query<Bool> { left.compare(.greater, right) }
  /// Whether the value is less than a constant.
  public static func < (left: Query<T>, right: T) -> Query<Bool> { left.compare(.less, right) }

  /// Whether the value is greater than or equal to a constant.
  public static func >= (left: Query<T>, right: T) -> Query<Bool> {
    left.compare(.greaterOrEqual, right)
  }

  /// Whether the value is less than or equal to a constant.
  public static func <= (left: Query<T>, right: T) -> Query<Bool> {
    left.compare(.lessOrEqual, right)
  }

  /// Whether the value is greater than that of another property.
  public static func > (left: Query<T>, right: Query<T>) -> Query<Bool> {
    compare(left.operand, .greater, right.operand)
  }

  /// Whether the value is greater than or equal to that of another property.
  public static func >= (left: Query<T>, right: Query<T>) -> Query<Bool> {
    compare(left.operand, .greaterOrEqual, right.operand)
  }

  /// Whether the value is less than that of another property.
  public static func < (left: Query<T>, right: Query<T>) -> Query<Bool> {
    compare(left.operand, .less, right.operand)
  }

  /// Whether the value is less than or equal to that of another property.
  public static func <= (left: Query<T>, right: Query<T>) -> Query<Bool> {
    compare(left.operand, .lessOrEqual, right.operand)
  }

  /// The smallest value of the property in the collection that the path goes through.
  public var min: Query<T> { Query<T>(appending(aggregate: "@min")) }
  /// The largest value of the property in the collection that the path goes through.
  public var max: Query<T> { Query<T>(appending(aggregate: "@max")) }
  /// The mean of the property in the collection that the path goes through.
  public var avg: Query<T> { Query<T>(appending(aggregate: "@avg")) }
  /// The sum of the property in the collection that the path goes through.
  public var sum: Query<T> { Query<T>(appending(aggregate: "@sum")) }
}

extension Query where T: Comparable {
  /// Whether the value lies in the range.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    between(range.lowerBound, isBelow: range.upperBound)
  }

  /// Whether the value lies in the range.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
    between(range.lowerBound, range.upperBound)
  }
}

extension Query where T: OptionalProtocol, T.Wrapped: Comparable {
  /// Whether there is a value and it lies in the range.
  public func contains(_ range: Range<T.Wrapped>) -> Query<Bool> {
    between(range.lowerBound, isBelow: range.upperBound)
  }

  /// Whether there is a value and it lies in the range.
  public func contains(_ range: ClosedRange<T.Wrapped>) -> Query<Bool> {
    between(range.lowerBound, range.upperBound)
  }
}

extension Query {
  fileprivate func between(_ lower: Any, isBelow upper: Any) -> Query<Bool> {
    Query<Bool>(
      .and(compare(.greaterOrEqual, lower).condition, compare(.less, upper).condition))
  }

  fileprivate func between(_ lower: Any, _ upper: Any) -> Query<Bool> {
    Query<Bool>(.between(operand, .value(lower), .value(upper)))
  }
}

// MARK: - Types of the user's

extension Query where T: PersistableEnum {
  /// The raw value, to compare with raw values that no case has, or by string operations.
  public var rawValue: Query<T.RawValue> { Query<T.RawValue>(operand) }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
  /// The raw value, to compare with raw values that no case has, or by string operations.
  public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(operand) }
}

extension Query where T: _CustomPersistable {
  /// The value as it is stored.
  public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(operand) }
}

extension Query where T: OptionalProtocol, T.Wrapped: _CustomPersistable {
  /// The value as it is stored.
  public var persistableValue: Query<T.Wrapped.PersistedType?> {
    Query<T.Wrapped.PersistedType?>(operand)
  }
}
