/// What belongs to one thread, serial queue or actor unless it is frozen: objects, collections and
/// results of a realm.
public protocol ThreadConfined: SendableMetatype {
  /// The realm that it belongs to, nil if unmanaged.
  var realm: Realm? { get }
  /// Whether it was deleted, or its realm invalidated.
  var isInvalidated: Bool { get }
  /// Whether it is an immutable view of one version. May be asked on any thread.
  var isFrozen: Bool { get }
  /// An immutable view of the present version, usable on any thread.
  func freeze() -> Self
  /// The live counterpart of a frozen value, nil if it does not exist any more.
  func thaw() -> Self?
}

/// What `Realm.objects(_:)` can fetch.
public protocol RealmFetchable: RealmCollectionValue {
  /// The name of the class in the realm.
  static func className() -> String
}
