public import Foundation
import ObjectStore

// Queries on a map's values. Their results hold the values without their keys.

extension Map {
  private var results: Results<Value> { Results(_collection) }

  private func aggregate<T>(_ operation: AggregateOperation, _ property: String) -> T? {
    if accessor == nil { return UnmanagedValues(values).aggregate(operation, property) }
    return _collection.aggregate(operation, property)
  }

  private func aggregateSum<T>(_ property: String) -> T {
    AggregateResult.sum(aggregate(.sum, property), of: property)
  }

  /// The values that the condition holds for.
  public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
    results.where(isIncluded)
  }

  /// The values that the predicate holds for.
  public func filter(_ predicate: NSPredicate) -> Results<Value> { results.filter(predicate) }

  /// The values that the predicate string holds for.
  public func filter(_ predicateFormat: String, _ arguments: Any...) -> Results<Value> {
    results.filter(NSPredicate(format: predicateFormat, argumentArray: arguments))
  }

  /// The values sorted by several criteria, most significant first.
  public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
  where S.Element == SortDescriptor {
    results.sorted(by: sortDescriptors)
  }

  /// The objects sorted by what is at the key path.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }

  /// The values sorted.
  public func sorted(ascending: Bool = true) -> Results<Value>
  where Value.PersistedType: SortableType {
    results.sorted(ascending: ascending)
  }

  /// The smallest value of the property among the objects, nil if none has one.
  public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType {
    aggregate(.minimum, property)
  }

  /// The largest value of the property among the objects, nil if none has one.
  public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType {
    aggregate(.maximum, property)
  }

  /// The sum of the property over the objects, zero if none has a value.
  public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
  where T.PersistedType: AddableType {
    aggregateSum(property)
  }

  /// The average of the property over the objects that have a value, nil if none has one.
  public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: AddableType {
    aggregate(.average, property)
  }
}

extension Map where Value.PersistedType: MinMaxType {
  /// The smallest value, nil if there is none.
  public func min() -> Value? { aggregate(.minimum, "self") }

  /// The largest value, nil if there is none.
  public func max() -> Value? { aggregate(.maximum, "self") }
}

extension Map where Value.PersistedType: AddableType {
  /// The sum of the values.
  public func sum() -> Value { aggregateSum("self") }

  /// The average of the values, nil if there is none.
  public func average<T: _HasPersistedType>() -> T?
  where T.PersistedType: AddableType {
    aggregate(.average, "self")
  }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
  /// The objects sorted by the property that the key path leads to.
  public func sorted<T: _HasPersistedType>(
    by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool = true
  ) -> Results<Value> where T.PersistedType: SortableType {
    sorted(by: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
  }

  /// The smallest value of the property among the objects, nil if none has one.
  public func min<T: _HasPersistedType>(
    of keyPath: KeyPath<Value.Wrapped, T>
  ) -> T? where T.PersistedType: MinMaxType {
    min(ofProperty: _name(for: keyPath))
  }

  /// The largest value of the property among the objects, nil if none has one.
  public func max<T: _HasPersistedType>(
    of keyPath: KeyPath<Value.Wrapped, T>
  ) -> T? where T.PersistedType: MinMaxType {
    max(ofProperty: _name(for: keyPath))
  }

  /// The sum of the property over the objects, zero if none has a value.
  public func sum<T: _HasPersistedType>(
    of keyPath: KeyPath<Value.Wrapped, T>
  ) -> T where T.PersistedType: AddableType {
    sum(ofProperty: _name(for: keyPath))
  }

  /// The average of the property over the objects that have a value, nil if none has one. Integers
  /// are rounded towards zero; name another type for the result where that is not wanted.
  public func average<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
  where T.PersistedType: AddableType {
    average(ofProperty: _name(for: keyPath))
  }

  /// The average of the property over the objects that have a value, nil if none has one.
  @_disfavoredOverload
  public func average<T: _HasPersistedType, S: _HasPersistedType>(
    of keyPath: KeyPath<Value.Wrapped, T>
  ) -> S? where T.PersistedType: AddableType, S.PersistedType: AddableType {
    average(ofProperty: _name(for: keyPath))
  }
}
