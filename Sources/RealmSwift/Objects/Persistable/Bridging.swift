import Foundation

// Values that cross to code that knows them as `Any` and back, as they do to Objective-C on Apple's
// systems: enumerations and custom types as what is stored, nil as `NSNull`.

/// A type whose values can be handed to code that knows them as `Any`.
public protocol _ObjcBridgeable {
  /// The value that the other code's one stands for, nil if there is none.
  static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self?
  /// The value as the other code gets it.
  var _rlmObjcValue: Any { get }
}

extension _ObjcBridgeable {
  public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self? { value as? Self }
  public var _rlmObjcValue: Any { self }
}

extension _ObjcBridgeable where Self: _StoredConvertible {
  public static func _rlmFromObjc(_ value: Any, insideOptional: Bool) -> Self? {
    _rlmFromAny(value, nil)
  }
}

extension PersistableEnum {
  public var _rlmObjcValue: Any { rawValue }
}

extension _CustomPersistable {
  public var _rlmObjcValue: Any { persistableValue._rlmObjcValue }
}

extension Optional: _ObjcBridgeable where Wrapped: _PersistableInsideOptional {
  public var _rlmObjcValue: Any { self?._rlmObjcValue ?? NSNull() }
}

/// The value that `x` stands for in Swift: of an enumeration for its raw value, nil for `NSNull`. A
/// misuse if it stands for none of that type.
public func dynamicBridgeCast<T>(fromObjectiveC x: Any) -> T {
  if let type = T.self as? any _ObjcBridgeable.Type {
    if let value = type._rlmFromObjc(x, insideOptional: false) as? T { return value }
  } else if let value = x as? T {
    return value
  }
  throwRealmException("Could not convert value '\(x)' to type '\(T.self)'.")
}

/// The value as code gets it that knows it as `Any`: the raw value of an enumeration, `NSNull` for
/// nil.
public func dynamicBridgeCast<T>(fromSwift x: T) -> Any {
  (x as? any _ObjcBridgeable)?._rlmObjcValue ?? x
}
