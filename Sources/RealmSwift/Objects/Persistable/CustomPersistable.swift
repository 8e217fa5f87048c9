public import ObjectStore

// Types of the user's that are kept as one of the library's: enumerations by their raw value, and
// whatever else by a conversion of its own.

/// An enumeration that is a property's type, kept as its raw value.
///
/// A raw value that no case has any more reads as the first case, and in an optional property, or
/// an optional element of a collection, as nil.
public protocol PersistableEnum: RawRepresentable, CaseIterable, Comparable, RealmEnum,
  _Persistable, _RealmCollectionValueInsideOptional
where RawValue: Comparable & _Persistable & _RealmCollectionValueInsideOptional {
  /// What a property of this type is stored as: the raw value.
  associatedtype PersistedType = RawValue
  /// The value of a property that was declared without one: the first case.
  init()
}

extension PersistableEnum {
  /// The first case.
  public init() { self = Self.allCases.first! }

  /// Compares the raw values.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  public static var _rlmDescription: _PropertyDescription { RawValue._rlmDescription }
  public static func _rlmDefaultValue() -> Self { Self() }

  @inlinable
  public static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: Self) {
    RawValue._rlmSet(object, column, value.rawValue)
  }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { rawValue._rlmStored(realm) }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Self {
    Self(rawValue: RawValue._rlmFromStored(stored, realm)) ?? Self()
  }

  public static func _rlmOptionalFromStored(
    _ stored: StoredValue, _ realm: _RealmInstance
  ) -> Self? {
    RawValue._rlmOptionalFromStored(stored, realm).flatMap { Self(rawValue: $0) }
  }

  public static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> Self? {
    RawValue._rlmGetOptional(object, column).flatMap { Self(rawValue: $0) }
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    if let value = unwrapped(value) as? Self { return value }
    return RawValue._rlmFromAny(value, realm).flatMap { Self(rawValue: $0) }
  }
}

/// What custom types have in common.
public protocol _CustomPersistable: _Persistable, _RealmCollectionValueInsideOptional
where PersistedType: _RealmCollectionValueInsideOptional {
  /// The value as the store keeps it.
  var persistableValue: PersistedType { get }
  /// The value that the store's one stands for; a misuse if there is none.
  static func _rlmFromPersisted(_ value: PersistedType) -> Self
}

extension _CustomPersistable {
  public static var _rlmDescription: _PropertyDescription { PersistedType._rlmDescription }

  public static func _rlmDefaultValue() -> Self {
    _rlmFromPersisted(PersistedType._rlmEmpty())
  }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue {
    persistableValue._rlmStored(realm)
  }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Self {
    _rlmFromPersisted(PersistedType._rlmFromStored(stored, realm))
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    if let value = unwrapped(value) as? Self { return value }
    return PersistedType._rlmFromAny(value, realm).map(_rlmFromPersisted)
  }

  /// Embedded objects, which are made for each conversion, are compared by what they hold.
  public static func == (left: Self, right: Self) -> Bool {
    let (one, other) = (left.persistableValue, right.persistableValue)
    guard let first = one as? ObjectBase, let second = other as? ObjectBase else {
      return one == other
    }
    return first._hasSameValues(as: second)
  }

  public func hash(into hasher: inout Hasher) {
    let value = persistableValue
    if let object = value as? ObjectBase {
      object._hashValues(into: &hasher)
    } else {
      hasher.combine(value)
    }
  }
}

/// A type of the user's that every value of a stored type can be converted to.
public protocol CustomPersistable: _CustomPersistable {
  /// What the store keeps for a value of this type.
  associatedtype PersistedType
  /// The value that the stored one stands for.
  init(persistedValue: PersistedType)
  /// The value as the store keeps it.
  var persistableValue: PersistedType { get }
}

extension CustomPersistable {
  public static func _rlmFromPersisted(_ value: PersistedType) -> Self {
    Self(persistedValue: value)
  }
}

/// A type of the user's that only some values of a stored type can be converted to. Reading
/// another one is a misuse for a plain property and nil for an optional one.
public protocol FailableCustomPersistable: _CustomPersistable {
  /// What the store keeps for a value of this type.
  associatedtype PersistedType
  /// The value that the stored one stands for, if there is one.
  init?(persistedValue: PersistedType)
  /// The value as the store keeps it.
  var persistableValue: PersistedType { get }
}

extension FailableCustomPersistable {
  public static func _rlmFromPersisted(_ value: PersistedType) -> Self {
    guard let converted = Self(persistedValue: value) else {
      throwRealmException("Could not convert the value '\(value)' to the type '\(self)'.")
    }
    return converted
  }

  public static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> Self? {
    PersistedType._rlmGetOptional(object, column).flatMap { Self(persistedValue: $0) }
  }

  public static func _rlmOptionalFromStored(
    _ stored: StoredValue, _ realm: _RealmInstance
  ) -> Self? {
    PersistedType._rlmOptionalFromStored(stored, realm).flatMap { Self(persistedValue: $0) }
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    if let value = unwrapped(value) as? Self { return value }
    return PersistedType._rlmFromAny(value, realm).flatMap { Self(persistedValue: $0) }
  }
}
