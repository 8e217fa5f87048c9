public import ObjectStore

/// A class of objects that belong to one other object each.
///
///     class Address: EmbeddedObject {
///       @Persisted var street: String
///     }
///
///     class Person: Object {
///       @Persisted var address: Address?
///       @Persisted var formerAddresses: List<Address>
///     }
///
/// An embedded object becomes managed when it is put into a property, list or map of its owner, or
/// is added together with it. It is deleted when it is taken out there, or its owner is deleted. A
/// managed one cannot be put elsewhere; `create(_:value:update:)` copies what it is given.
open class EmbeddedObject: ObjectBase {
  /// Makes an unmanaged object.
  public override init() { super.init() }

  /// Makes an unmanaged object with the given values: a dictionary by property names, an array in
  /// the order of declaration, or another object with properties of the same names.
  public convenience init(value: Any) {
    self.init()
    _fill(from: value)
  }

  /// Whether both are the same object of the same realm; `==` compares identity.
  public func isSameObject(as object: EmbeddedObject?) -> Bool {
    guard let object else { return false }
    return _isSameRow(as: object)
  }
}

extension EmbeddedObject: _OwnedObject, KeypathSortable {
  /// Stored as a link, which owns the object.
  public typealias PersistedType = EmbeddedObject

  /// The link to a managed object. An unmanaged one gets its place from its owner alone.
  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue {
    guard let link = realm.existingLink(to: self) else {
      throwRealmException(
        "Embedded objects cannot be created directly; put it into a property of its owner.")
    }
    return link
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    guard let value = unwrapped(value) else { return nil }
    if let object = value as? Self, realm?.copiesValues != true { return object }
    guard value is [String: Any] || value is [Any] || value is ObjectBase else { return nil }
    return known(_unmanaged(self, value, realm), as: self)
  }

  /// An unmanaged object with the given values; objects that those link to are made in the realm.
  static func _unmanaged(
    _ type: ObjectBase.Type, _ value: Any, _ realm: _RealmInstance?
  ) -> ObjectBase {
    let object = UnfilledObject(type, value)
    object.fill(realm)
    return object.object
  }
}

/// What embedded objects do differently: setting a link to one makes it.
public protocol _OwnedObject: _LinkableObject {}

extension _OwnedObject {
  public static func _rlmSetOptional(_ object: ObjectBase, _ column: UInt32, _ value: Self?) {
    let realm = object._prepareToWrite(column)
    guard let value else { return object._writeStored(column, .null) }
    realm.embedder.embed(value, in: object, column, .new)
  }

  public static func _rlmTransferOptional(
    _ value: Self?, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    guard let value else { return object._transferStored(column, .null, mode) }
    object._managingRealm.embedder.embed(value, in: object, column, mode)
  }
}
