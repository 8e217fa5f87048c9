// The protocols that constraints of the public API name. They carry no behaviour of their own: a
// type's conformance says what may be done with a property of that type (index it, sort by it,
// add it up). Conformances stand beside the types, in `Conformances.swift`.

/// A type that stands for another one in the store: an enumeration for its raw value, a custom
/// type for what it is converted to, every other type for itself.
public protocol _HasPersistedType {
  /// What the store keeps for a value of this type.
  associatedtype PersistedType
}

/// A type whose properties can be indexed.
@_marker public protocol _Indexable {}

/// A type that can be a primary key.
@_marker public protocol _PrimaryKey {}

/// A type whose properties have a minimum and a maximum.
@_marker public protocol MinMaxType {}

/// A type whose properties can be added up and averaged.
@_marker public protocol AddableType {}

/// A type that collections can be sorted by.
@_marker public protocol SortableType {}

/// A type whose collections can be sorted by a key path.
@_marker public protocol KeypathSortable {}

/// A type whose queries offer ordering comparisons and aggregates.
@_marker public protocol _QueryNumeric {}

/// A type whose queries offer contains, starts and ends on bytes.
@_marker public protocol _QueryBinary {}

/// A type whose queries offer string operations.
@_marker public protocol _QueryString: _QueryBinary {}

/// A type whose values can be made without being told anything.
public protocol _DefaultConstructible {
  /// The value that a property of the type begins with.
  init()
}

/// A type that `RealmOptional` and `RealmProperty` can hold as an optional: numbers, booleans, and
/// enumerations.
public protocol RealmOptionalType {}

/// A type that `RealmProperty` can hold.
public protocol RealmPropertyType {}

/// An enumeration that is kept as its raw value. Conform to `PersistableEnum`.
public protocol RealmEnum: RealmOptionalType, _RealmSchemaDiscoverable {}

/// An optional, seen without its payload's type.
public protocol OptionalProtocol {
  /// The type inside the optional.
  associatedtype Wrapped
  /// The optional as one.
  var _optionalValue: Wrapped? { get }
}

extension Optional: OptionalProtocol {
  public var _optionalValue: Wrapped? { self }
}
