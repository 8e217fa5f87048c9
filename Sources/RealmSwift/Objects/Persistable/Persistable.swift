public import ObjectStore

// How a Swift type is kept in the store. User code names these protocols in constraints at most;
// their requirements are for the library.

/// What a property's Swift type says about its column.
public struct _PropertyDescription: Sendable {
  var type: PropertyType = .int
  var isOptional = false
  var collection = CollectionKind.none
  /// The class that a link, a list of links or linking objects leads to.
  var target: ObjectBase.Type?

  /// The description of a plain value of the type.
  public init(_ type: PropertyType) { self.type = type }
}

/// A type that can be described to the schema.
///
/// Conformances are used on any thread, so they are not isolated to an actor.
public protocol _RealmSchemaDiscoverable: SendableMetatype {
  /// What a property of this type is in the schema.
  static var _rlmDescription: _PropertyDescription { get }
}

/// A type whose values cross into the store and back.
public protocol _StoredConvertible: _ObjcBridgeable {
  /// The value in the store's terms. Links need the realm, to add what is not yet in it.
  func _rlmStored(_ realm: _RealmInstance) -> StoredValue
  /// The value that the store holds.
  static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Self
  /// The value given as whatever the caller of `init(value:)` or `setValue(_:forKey:)` had, or
  /// nil if that cannot become one of this type. Given a realm, objects are made in it.
  static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self?
}

/// How the values of an object that is added meet those that the store has.
public enum _TransferMode: Sendable {
  /// A new object: everything is zero, null or empty.
  case new
  /// An existing object, all of whose properties are to be set.
  case overwriteAll
  /// An existing object; properties that have the value already are left alone.
  case overwriteModified
}

/// A type that a `@Persisted` property can have.
public protocol _Persistable: _HasPersistedType, _RealmSchemaDiscoverable {
  /// The value of a property that was declared without one.
  static func _rlmDefaultValue() -> Self
  /// What a property returns while key paths are being recorded.
  static func _rlmRecordingValue() -> Self
  /// Whether the managed value is one object per property, to be kept: collections.
  static var _rlmRequiresCaching: Bool { get }
  /// Checks that the value that an object keeps may still be given out.
  static func _rlmCheckCached(_ object: ObjectBase)
  /// Reads a managed property.
  static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Self
  /// Writes a managed property, checking first that it may be written.
  static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: Self)
  /// The value in the store's terms, nil for what cannot be a primary key.
  static func _rlmStoredKey(_ value: Self, _ realm: _RealmInstance) -> StoredValue?
  /// Writes a property of an object that is being added.
  static func _rlmTransfer(
    _ value: Self, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode)
  /// A value for an unmanaged property out of whatever the caller had, or nil.
  static func _rlmPropertyFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self?
}

extension _Persistable {
  public static func _rlmRecordingValue() -> Self { _rlmDefaultValue() }
  public static var _rlmRequiresCaching: Bool { false }
  @inlinable
  public static func _rlmCheckCached(_ object: ObjectBase) {}

  public static func _rlmStoredKey(_ value: Self, _ realm: _RealmInstance) -> StoredValue? { nil }
}

/// A type whose optional a `@Persisted` property can have.
public protocol _PersistableInsideOptional: _StoredConvertible, _HasPersistedType,
  _RealmSchemaDiscoverable
{
  /// Reads a managed optional property.
  static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> Self?
  /// The value that the store holds, nil for null and for what is none of this type.
  static func _rlmOptionalFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Self?
  /// What the optional property returns while key paths are being recorded.
  static func _rlmRecordingOptional() -> Self?
  /// Whether values are objects, which a property reaches by a link.
  static var _rlmIsObject: Bool { get }
  /// What a custom type is made from where nothing was given.
  static func _rlmEmpty() -> Self
  /// Writes a managed optional property, checking first that it may be written.
  static func _rlmSetOptional(_ object: ObjectBase, _ column: UInt32, _ value: Self?)
  /// Writes an optional property of an object that is being added.
  static func _rlmTransferOptional(
    _ value: Self?, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode)
}

extension _PersistableInsideOptional {
  public static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> Self? {
    _rlmOptionalFromStored(object._readStored(column), object._managingRealm)
  }

  public static func _rlmOptionalFromStored(
    _ stored: StoredValue, _ realm: _RealmInstance
  ) -> Self? {
    stored == .null ? nil : _rlmFromStored(stored, realm)
  }

  public static func _rlmRecordingOptional() -> Self? { nil }

  public static var _rlmIsObject: Bool { false }

  public static func _rlmSetOptional(_ object: ObjectBase, _ column: UInt32, _ value: Self?) {
    let realm = object._prepareToWrite(column)
    object._writeStored(column, value?._rlmStored(realm) ?? .null)
  }

  public static func _rlmTransferOptional(
    _ value: Self?, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    let stored = value?._rlmStored(object._managingRealm) ?? .null
    object._transferStored(column, stored, mode)
  }
}

extension _PersistableInsideOptional where Self: _Persistable {
  public static func _rlmEmpty() -> Self { _rlmDefaultValue() }
}

/// A type that is stored by converting it to a `StoredValue` and back.
extension _Persistable where Self: _StoredConvertible {
  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Self {
    _rlmFromStored(object._readStored(column), object._managingRealm)
  }

  public static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: Self) {
    let realm = object._prepareToWrite(column)
    object._writeStored(column, value._rlmStored(realm))
  }

  public static func _rlmTransfer(
    _ value: Self, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    object._transferStored(column, value._rlmStored(object._managingRealm), mode)
  }

  public static func _rlmStoredKey(_ value: Self, _ realm: _RealmInstance) -> StoredValue? {
    value._rlmStored(realm)
  }

  public static func _rlmPropertyFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    _rlmFromAny(value, realm)
  }
}

/// A type that lists and results can hold.
public protocol RealmCollectionValue: Hashable, _HasPersistedType, _StoredConvertible,
  _RealmSchemaDiscoverable
{
  /// The object as an element of a collection of objects of this class.
  static func _rlmFromObject(_ object: ObjectBase) -> Self
  /// The value in the store's terms, where those decide which values are equal; nil where Swift
  /// does.
  var _rlmComparable: StoredValue? { get }
}

extension RealmCollectionValue {
  public static func _rlmFromObject(_ object: ObjectBase) -> Self {
    throwRealmException("\(Self.self) is no class of objects.")
  }

  public var _rlmComparable: StoredValue? { nil }
}

/// A type whose optional lists can hold.
public protocol _RealmCollectionValueInsideOptional: RealmCollectionValue,
  _PersistableInsideOptional
{}

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
  /// What a property of this type is stored as: the wrapped type's, or nothing.
  public typealias PersistedType = Wrapped.PersistedType?
}

extension Optional: _RealmSchemaDiscoverable where Wrapped: _RealmSchemaDiscoverable {
  public static var _rlmDescription: _PropertyDescription {
    var description = Wrapped._rlmDescription
    description.isOptional = true
    return description
  }
}

extension Optional: _StoredConvertible where Wrapped: _PersistableInsideOptional {
  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue {
    self?._rlmStored(realm) ?? .null
  }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Self {
    Wrapped._rlmOptionalFromStored(stored, realm)
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    if isNull(value) { return .some(nil) }
    return Wrapped._rlmFromAny(value, realm).map { .some($0) }
  }
}

extension Optional: _Persistable where Wrapped: _PersistableInsideOptional {
  public static func _rlmDefaultValue() -> Self { nil }
  public static func _rlmRecordingValue() -> Self { Wrapped._rlmRecordingOptional() }

  @inlinable
  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Self {
    Wrapped._rlmGetOptional(object, column)
  }

  public static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: Self) {
    Wrapped._rlmSetOptional(object, column, value)
  }

  public static func _rlmTransfer(
    _ value: Self, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    Wrapped._rlmTransferOptional(value, object, column, mode)
  }
}

extension Optional: RealmCollectionValue where Wrapped: _RealmCollectionValueInsideOptional {
  public var _rlmComparable: StoredValue? { self?._rlmComparable }
  public static func _rlmFromObject(_ object: ObjectBase) -> Self { Wrapped._rlmFromObject(object) }
}
