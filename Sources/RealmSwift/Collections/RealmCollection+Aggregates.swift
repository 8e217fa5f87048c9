import Foundation
import ObjectStore
import Storage

// Minimum, maximum, sum and average: of a property of a collection's objects, or of its values.

extension RealmCollection {
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

extension RealmCollection where Element: ObjectBase {
  /// The smallest value of the property among the objects, nil if none has one.
  public func min<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: MinMaxType {
    min(ofProperty: _name(for: keyPath))
  }

  /// The largest value of the property among the objects, nil if none has one.
  public func max<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: MinMaxType {
    max(ofProperty: _name(for: keyPath))
  }

  /// The sum of the property over the objects, zero if none has a value.
  public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T
  where T.PersistedType: AddableType {
    sum(ofProperty: _name(for: keyPath))
  }

  /// The average of the property over the objects that have a value, nil if none has one. Integers
  /// are rounded towards zero; name another type for the result where that is not wanted.
  public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: AddableType {
    average(ofProperty: _name(for: keyPath))
  }

  /// The average of the property over the objects that have a value, nil if none has one.
  @_disfavoredOverload
  public func average<T: _HasPersistedType, S: _HasPersistedType>(
    of keyPath: KeyPath<Element, T>
  ) -> S? where T.PersistedType: AddableType, S.PersistedType: AddableType {
    average(ofProperty: _name(for: keyPath))
  }
}

extension RealmCollection where Element.PersistedType: MinMaxType {
  /// The smallest value, nil if there is none.
  public func min() -> Element? { aggregate(.minimum, "self") }

  /// The largest value, nil if there is none.
  public func max() -> Element? { aggregate(.maximum, "self") }
}

extension RealmCollection where Element.PersistedType: AddableType {
  /// The sum of the values.
  public func sum() -> Element { aggregateSum("self") }

  /// The average of the values, nil if there is none.
  public func average<T: _HasPersistedType>() -> T?
  where T.PersistedType: AddableType {
    aggregate(.average, "self")
  }
}

extension RealmCollection {
  /// The aggregate as a value of the type, nil for null.
  fileprivate func aggregate<T>(_ operation: AggregateOperation, _ property: String) -> T? {
    if let elements = _unmanagedElements {
      return UnmanagedValues(elements).aggregate(operation, property)
    }
    return _collection.aggregate(operation, property)
  }

  fileprivate func aggregateSum<T>(_ property: String) -> T {
    AggregateResult.sum(aggregate(.sum, property), of: property)
  }
}

extension _ManagedCollection {
  /// The aggregate as a value of the type, nil for null.
  func aggregate<T>(_ operation: AggregateOperation, _ property: String) -> T? {
    AggregateResult(operation: operation, property: property, value: stored(operation, property))
      .converted(instance)
  }

  func sum<T>(_ property: String) -> T {
    AggregateResult.sum(aggregate(.sum, property), of: property)
  }

  private func stored(_ operation: AggregateOperation, _ property: String) -> StoredValue {
    if !instance.isFrozen { instance.checkThread() }
    let path = path(property)
    guard let binding else {
      if !isPlain { return operation.applied(to: values(), listAccessor.property.kind) }
      let list = listAccessor.view
      return engine { () throws(StorageError) in try list.aggregate(operation) }
    }
    if (list != nil || target != nil) && !isValid { return operation == .sum ? .int(0) : .null }
    let compiled = QueryCompiler(schema: instance.schema.description).compiled(query)
    let column: AggregateColumn
    do {
      column = try AggregateColumn(
        path, of: binding.table, for: operation, schema: instance.schema.description)
    } catch {
      throwRealmException(error.reason)
    }
    let view = instance.view
    return engine { () throws(StorageError) in try compiled.aggregate(operation, column, view) }
  }
}
