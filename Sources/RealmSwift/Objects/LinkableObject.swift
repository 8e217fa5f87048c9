public import ObjectStore

/// What ``Object`` and ``EmbeddedObject`` have in common: properties and collections lead to their
/// objects.
public protocol _LinkableObject: ObjectBase, ThreadConfined, _RealmCollectionValueInsideOptional {}

extension _LinkableObject {
  /// The realm that manages the object, nil for an unmanaged one.
  public var realm: Realm? { _instance.map { Realm(instance: $0) } }

  /// The class as the realm knows it.
  public var objectSchema: ObjectSchema { _info.objectSchema }

  /// An immutable view of the object at its present version, usable on any thread.
  public func freeze() -> Self { known(_frozen(), as: Self.self) }

  /// The live counterpart of a frozen object, nil if the object was deleted since.
  public func thaw() -> Self? { _thawed().map { known($0, as: Self.self) } }
}

extension _LinkableObject {
  public static var _rlmDescription: _PropertyDescription {
    var description = _PropertyDescription(.object)
    description.target = self
    return description
  }

  @inlinable
  public static func _rlmFromObject(_ object: ObjectBase) -> Self {
    known(object, as: self)
  }

  public static func _rlmFromStored(_ stored: StoredValue, _ realm: _RealmInstance) -> Self {
    guard case .link(let table, let key) = stored else {
      throwRealmException("A link was expected in the realm.")
    }
    let binding = realm.binding(for: table, dynamic: self == DynamicObject.self)
    return known(realm.object(binding, key), as: self)
  }

  @inlinable
  public static func _rlmGetOptional(_ object: ObjectBase, _ column: UInt32) -> Self? {
    object._readLink(column).map { known($0, as: self) }
  }

  public static func _rlmRecordingOptional() -> Self? { _recordingInstance() }

  public static var _rlmIsObject: Bool { true }
  public static func _rlmEmpty() -> Self { known(make(), as: self) }
}
