public import ObjectStore

/// A class of objects that realms store.
///
/// Subclass it and declare what is to be stored with `@Persisted`:
///
///     class Dog: Object {
///       @Persisted var name: String
///       @Persisted var owner: Person?
///     }
///
/// An object is unmanaged until it is added to a realm in a write transaction; from then on it is a
/// live view of the stored object, confined to the realm's thread, queue or actor.
open class Object: ObjectBase, ThreadConfined, RealmFetchable {
  /// Makes an unmanaged object.
  public required init() { super.init() }

  /// Makes an unmanaged object with the given values: a dictionary by property names, an array in
  /// the order of declaration, or another object with properties of the same names.
  public convenience init(value: Any) {
    self.init()
    _fill(from: value)
  }

  /// The realm that manages the object, nil for an unmanaged one.
  public var realm: Realm? { _instance.map { Realm(instance: $0) } }

  /// The class as the realm knows it.
  public var objectSchema: ObjectSchema { ClassInfo.of(type(of: self)).objectSchema }

  /// Whether both are the same object of the same realm; `==` compares identity for classes
  /// without a primary key.
  public func isSameObject(as object: Object?) -> Bool {
    guard let object else { return false }
    return _isSameRow(as: object)
  }

  /// An immutable view of the object at its present version, usable on any thread.
  public func freeze() -> Self { unsafeDowncast(_frozen(), to: Self.self) }

  /// The live counterpart of a frozen object, nil if the object was deleted since.
  public func thaw() -> Self? { _thawed().map { unsafeDowncast($0, to: Self.self) } }
}

extension Object: _RealmCollectionValueInsideOptional, KeypathSortable {
  /// Stored as a link.
  public typealias PersistedType = Object
  public static var _rlmDescription: _PropertyDescription {
    var description = _PropertyDescription(.object)
    description.target = self
    return description
  }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { realm.link(to: self) }

  @inlinable
  public static func _rlmFromObject(_ object: ObjectBase) -> Self {
    unsafeDowncast(object, to: self)
  }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Self {
    guard case .link(let table, let key) = stored else {
      throwRealmException("A link was expected in the realm.")
    }
    return unsafeDowncast(realm.object(in: table, key), to: self)
  }

  public static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> Self? {
    object._readLink(column).map { unsafeDowncast($0, to: self) }
  }

  private func canBelong(to realm: _RealmInstance?) -> Bool {
    _instance == nil || _instance === realm
  }

  public static func _rlmRecordingOptional() -> Self? { _recordingInstance() }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    guard let value = unwrapped(value) else { return nil }
    if let object = value as? Self, realm == nil || object.canBelong(to: realm) { return object }
    guard value is [String: Any] || value is [Any] || value is ObjectBase else { return nil }
    guard let realm else {
      let object = self.init()
      object._fill(from: value)
      return object
    }
    return unsafeDowncast(realm.create(self, value, realm.updatePolicy), to: self)
  }
}
