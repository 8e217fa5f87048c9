import Foundation
import ObjectStore
import Storage

// Minimum, maximum, sum and average: of a property of a collection's objects, or of its values.

extension RealmCollection {
  /// The smallest value of the property among the objects, nil if none has one.
  public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType {
    _collection.aggregate(.minimum, property)
  }

  /// The largest value of the property among the objects, nil if none has one.
  public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: MinMaxType {
    _collection.aggregate(.maximum, property)
  }

  /// The sum of the property over the objects, zero if none has a value.
  public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
  where T.PersistedType: AddableType {
    _collection.sum(property)
  }

  /// The average of the property over the objects that have a value, nil if none has one.
  public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
  where T.PersistedType: AddableType {
    _collection.aggregate(.average, property)
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

  /// The average of the property over the objects that have a value, nil if none has one. Of whole
  /// numbers it is a whole number, without the fraction.
  public func average<T: _HasPersistedType>(of keyPath: KeyPath<Element, T>) -> T?
  where T.PersistedType: AddableType {
    average(ofProperty: _name(for: keyPath))
  }
}

extension RealmCollection where Element.PersistedType: MinMaxType {
  /// The smallest value, nil if there is none.
  public func min() -> Element? { _collection.aggregate(.minimum, "self") }

  /// The largest value, nil if there is none.
  public func max() -> Element? { _collection.aggregate(.maximum, "self") }
}

extension RealmCollection where Element.PersistedType: AddableType {
  /// The sum of the values.
  public func sum() -> Element { _collection.sum("self") }

  /// The average of the values, nil if there is none.
  public func average<T: _HasPersistedType>() -> T?
  where T.PersistedType: AddableType {
    _collection.aggregate(.average, "self")
  }
}

extension _ManagedCollection {
  /// The aggregate as a value of the type, nil for null.
  func aggregate<T>(_ operation: AggregateOperation, _ property: String) -> T? {
    let result = stored(operation, property)
    if result == .null { return nil }
    guard let type = T.self as? any _StoredConvertible.Type else {
      throwRealmException("Values of type \(T.self) have no \(operation).")
    }
    if T.self == AnyRealmValue.self { return type._rlmFromStored(result, instance) as? T }
    guard let value = result.aggregateValue else { return nil }
    if let converted = type._rlmFromAny(value, nil) as? T { return converted }
    if operation == .average, let real = value as? Double,
      let whole = Int64(exactly: real.rounded(.towardZero)),
      let converted = type._rlmFromAny(whole, nil) as? T
    {
      return converted
    }
    throwRealmException("The \(operation) of '\(property)' is no \(T.self): \(value).")
  }

  func sum<T>(_ property: String) -> T {
    guard let sum: T = aggregate(.sum, property) else {
      throwRealmException("Cannot calculate the sum of '\(property)'.")
    }
    return sum
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
    let compiled = instance.compiled(query)
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

extension StoredValue {
  /// The value as the Swift type that carries it, for conversion to the one that was asked for.
  fileprivate var aggregateValue: Any? {
    switch self {
    case .int(let value): value
    case .float(let value): value
    case .double(let value): value
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .decimal128(let bits): Decimal128(bits)
    default: nil
    }
  }
}
