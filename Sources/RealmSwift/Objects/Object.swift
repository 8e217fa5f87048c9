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
open class Object: ObjectBase, RealmFetchable {
  /// Makes an unmanaged object.
  public override init() { super.init() }

  /// Makes an unmanaged object with the given values: a dictionary by property names, an array in
  /// the order of declaration, or another object with properties of the same names.
  public convenience init(value: Any) {
    self.init()
    _fill(from: value)
  }

  /// Whether both are the same object of the same realm; `==` compares identity for classes
  /// without a primary key.
  public func isSameObject(as object: Object?) -> Bool {
    guard let object else { return false }
    return _isSameRow(as: object)
  }
}

extension Object: _LinkableObject, KeypathSortable {
  /// Stored as a link.
  public typealias PersistedType = Object

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue { realm.adder.link(to: self) }

  private func canBelong(to realm: _RealmInstance?) -> Bool {
    _instance == nil || _instance === realm
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    guard let value = unwrapped(value) else { return nil }
    if let object = value as? Self, realm == nil || object.canBelong(to: realm) { return object }
    guard value is [String: Any] || value is [Any] || value is ObjectBase else { return nil }
    guard let realm else {
      let object = known(make(), as: self)
      object._fill(from: value)
      return object
    }
    return known(realm.creator.create(self, value, realm.updatePolicy), as: self)
  }
}
