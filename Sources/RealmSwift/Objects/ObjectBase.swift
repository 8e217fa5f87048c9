public import Foundation

// The root of all model classes: an unmanaged object holds its values in its `@Persisted`
// properties; a managed one is a view of a row, and holds which row of which realm.
//
// Invariants of a managed object: `_instance`, `_binding` and `_key` are set once, together, and
// stay; `_readState` points into memory that `_instance` owns; `_cluster` and `_row` are where the
// row is in the version that `_generation` stands for.

/// What all objects of a realm descend from. Models descend from `Object`.
@safe open class ObjectBase: NSObject {
  // Every read looks at these, and objects are confined, so the checks for overlapping accesses are
  // left out; no access to one of them calls out. That makes them safe.

  /// The realm's state that manages this object, nil for an unmanaged one.
  @safe @exclusivity(unchecked)
  @usableFromInline final var _instance: _RealmInstance?
  /// The class as stored in that realm, which keeps it: counting references to it as well would
  /// cost every accessor twice what its memory does.
  @safe @exclusivity(unchecked)
  unowned(unsafe) final var _binding: TableBinding?
  @safe @exclusivity(unchecked)
  @usableFromInline final var _readState: ReadStateReference
  @safe @exclusivity(unchecked)
  @usableFromInline final var _cluster: UnsafeRawPointer
  @safe @exclusivity(unchecked)
  @usableFromInline final var _generation: UInt64 = 0
  @safe @exclusivity(unchecked)
  final var _key: Int64 = unmanagedKey
  @safe @exclusivity(unchecked)
  @usableFromInline final var _row: UInt32 = 0

  /// Makes an unmanaged object with the default values of its properties.
  ///
  /// A subclass with a designated initialiser of its own has to add `override init()` too: the
  /// library makes objects with it, and the program stops where there is none.
  public override init() {
    _readState = ReadState.unmanaged
    _cluster = unsafe ReadState.unmanaged.address
    super.init()
  }

  // The fields of subclasses are still there: they are destroyed after this.
  deinit { if _instance == nil, _key == Self.unmanagedKey { _releaseLinks() } }

  private static var unmanagedKey: Int64 { -1 }
  /// The key of an instance that is made to find out about its class.
  static var sampleKey: Int64 { -2 }

  /// The class's name in the realm: the Swift name without module and enclosing types, unless
  /// `_realmObjectName()` gives another one.
  public class func className() -> String { _realmObjectName() ?? String(describing: self) }

  /// Whether realms that are opened without `objectTypes` know this class.
  open class func shouldIncludeInDefaultSchema() -> Bool { true }

  /// A name in the realm other than the Swift name.
  open class func _realmObjectName() -> String? { nil }

  /// Names in the file of properties that have other names there.
  open class func propertiesMapping() -> [String: String] { [:] }

  /// The name of the primary key, for classes that do not say so in `@Persisted`.
  open class func primaryKey() -> String? { nil }

  /// Names of indexed properties, for classes that do not say so in `@Persisted`.
  open class func indexedProperties() -> [String] { [] }

  /// Names of properties that are not stored. Only `@Persisted` ones are, so there is no need to.
  open class func ignoredProperties() -> [String] { [] }

  /// Whether the object was deleted or its realm invalidated. To be asked before using an object
  /// that may be gone, where the object may be used.
  open var isInvalidated: Bool { _isManaged && !_isValid }

  /// Whether the object is an immutable view of one version. May be asked on any thread.
  public var isFrozen: Bool { _instance?.isFrozen ?? false }

  /// The value of the property with that name; setting converts what it can.
  public subscript(key: String) -> Any? {
    get { _value(ofProperty: key) }
    set { _setValue(newValue, ofProperty: key) }
  }

  /// Whether both are the same instance, or, for objects of classes with a primary key and for
  /// frozen ones, the same object at the same version.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? ObjectBase else { return false }
    if self === other { return true }
    guard _isManaged, other._isManaged, _binding!.info.primaryKey != nil || isFrozen else {
      return false
    }
    return _isSameRow(as: other)
  }

  /// Hashes the primary key, so that adding an object to a realm does not change its hash; for
  /// classes without one which instance this is, or for a frozen object which object.
  open override var hash: Int {
    var hasher = Hasher()
    if !_hashPrimaryKey(into: &hasher) {
      if isFrozen { _hashRow(into: &hasher) } else { hasher.combine(ObjectIdentifier(self)) }
    }
    return hasher.finalize()
  }

  /// The properties and their values, one per line.
  open override var description: String { _describe(depth: 0) }
}

extension ObjectBase {
  /// Whether the object belongs to a realm.
  final var _isManaged: Bool { _instance != nil }

  /// What is known about the object's class.
  final var _info: ClassInfo {
    _isManaged ? _knownBinding.info : ClassInfo.of(type(of: self))
  }

  /// The class as stored; only asked for where the object is known to be managed.
  @inline(__always)
  final var _knownBinding: TableBinding { unsafe _binding.unsafelyUnwrapped }

  /// The realm's state; only called where the object is known to be managed.
  @usableFromInline
  final var _managingRealm: _RealmInstance {
    guard let instance = _instance else {
      throwRealmException("The object is not managed by a Realm.")
    }
    return instance
  }

  /// Whether both are views of the same object, which is there, in the same realm; for frozen ones
  /// at the same version of the same file.
  final func _isSameRow(as other: ObjectBase) -> Bool {
    if self === other { return true }
    guard let instance = _instance, let otherInstance = other._instance else { return false }
    return _key == other._key && _binding!.table == other._binding!.table
      && instance.isSame(as: otherInstance) && _isValid && other._isValid
  }

  /// Hashes the value of the primary key, whether the object is managed or not. False if the class
  /// has none. An object that is gone has no value any more.
  private final func _hashPrimaryKey(into hasher: inout Hasher) -> Bool {
    let info = _binding?.info ?? ClassInfo.of(type(of: self))
    guard let index = info.primaryKey else { return false }
    if _isManaged && !_isValid {
      _hashRow(into: &hasher)
    } else if info.fields[index].kind != .int {
      KeyHash.combine(_value(of: info.properties[index]), into: &hasher)
    } else if _isManaged {
      hasher.combine(Int(_readInt(_binding!.primaryKeyColumn)))
    } else {
      hasher.combine(_withField(at: 0) { info.fields[index].integer($0) })
    }
    return true
  }

  /// Agrees with `_isSameRow(as:)`.
  final func _hashRow(into hasher: inout Hasher) {
    guard _isManaged else { return hasher.combine(ObjectIdentifier(self)) }
    hasher.combine(_binding!.table)
    hasher.combine(_key)
  }

  /// Gives the body the address of the field at the offset. The offset must be one that reflection
  /// reported for this object's class.
  final func _withField<Result>(
    at offset: Int, _ body: (FieldAddress) -> Result
  ) -> Result {
    withExtendedLifetime(self) { body(FieldAddress(self, at: offset)) }
  }
}

/// Hashes of values whose types are not known.
private enum KeyHash {
  static func combine(_ value: Any, into hasher: inout Hasher) {
    if let value = value as? any Hashable {
      value.hash(into: &hasher)
    } else if let value = value as? any CustomPersistable {
      combine(value.persistableValue, into: &hasher)
    }
  }
}
