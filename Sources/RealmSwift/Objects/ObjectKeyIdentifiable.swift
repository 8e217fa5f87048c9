/// A type whose identity is the stored object that it stands for, for lists of a user interface
/// that want `Identifiable` elements.
///
///     final class Dog: Object, ObjectKeyIdentifiable { … }
public protocol ObjectKeyIdentifiable: Identifiable {
  /// The same for all accessors of one stored object, and for no other of its class.
  var id: UInt64 { get }
}

/// The older name of `ObjectKeyIdentifiable`.
public typealias ObjectKeyIdentifable = ObjectKeyIdentifiable

extension ObjectKeyIdentifiable where Self: ObjectBase {
  /// The key of a managed object; of an unmanaged one, a number for the instance.
  public var id: UInt64 { _identity }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
  /// The key of a managed object; of an unmanaged one, a number for the instance.
  public var id: UInt64 { rootObject._identity }
}

extension ObjectBase {
  /// The key of a managed object; of an unmanaged one, the instance.
  fileprivate var _identity: UInt64 {
    _isManaged ? UInt64(bitPattern: _key) : UInt64(UInt(bitPattern: ObjectIdentifier(self)))
  }
}
