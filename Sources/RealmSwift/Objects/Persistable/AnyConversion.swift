import Foundation

// Values that arrive as `Any`: in `init(value:)`, `create(_:value:)` and `setValue(_:forKey:)`.

/// The value, if its type is exactly that one.
///
/// Comparing types costs next to nothing. A cast also considers bridging to Foundation's classes,
/// and one that fails costs more than storing the value.
func exactly<T>(_ type: T.Type, _ value: Any) -> T? {
  func asItself<U>(_ value: U) -> T? {
    // Safe: both are the same type.
    unsafe U.self == T.self ? unsafeBitCast(value, to: T.self) : nil
  }
  return asItself(value)
}

/// Whether the type is one of those that most values have, none of which is null or wraps another.
private func isPlain(_ type: Any.Type) -> Bool {
  type == String.self || type == Int.self || type == Double.self || type == Bool.self
    || type == Date.self || type == [String: Any].self || type == [Any].self
    || type == Float.self || type == UUID.self || type == Data.self || type == ObjectId.self
}

/// Whether the value is nil, `NSNull` or an optional holding nothing, at any depth.
func isNull(_ value: Any) -> Bool { unwrapped(value) == nil }

/// The value without the optionals around it; nil where there is none.
func unwrapped(_ value: Any) -> Any? {
  let type = type(of: value)
  if isPlain(type) { return value }
  if type is AnyClass { return type is NSNull.Type ? nil : value }
  guard let optional = value as? any OptionalProtocol else { return value }
  return optional._erasedValue.flatMap(unwrapped)
}

/// The object that the value is, if it is one.
func storedObject(_ value: Any) -> ObjectBase? {
  type(of: value) is ObjectBase.Type ? value as? ObjectBase : nil
}

extension OptionalProtocol {
  fileprivate var _erasedValue: Any? { _optionalValue }
}

/// The whole number that the value is, if it is one that fits.
func integer<T: FixedWidthInteger>(_ value: Any, as type: T.Type = T.self) -> T? {
  if let value = exactly(T.self, value) { return value }
  if let value = exactly(Int.self, value) { return T(exactly: value) }
  return switch unwrapped(value) {
  case let value as T: value
  case let value as any BinaryInteger: T(exactly: value)
  case let value as Double: T(exactly: value)
  case let value as Float: T(exactly: value)
  case let value as NSNumber: T(exactly: value.int64Value)
  default: nil
  }
}

/// The floating-point number that the value is, rounded if need be.
func floatingPoint<T: BinaryFloatingPoint>(_ value: Any, as type: T.Type = T.self) -> T? {
  if let value = exactly(T.self, value) { return value }
  if let value = exactly(Int.self, value) { return T(value) }
  return switch unwrapped(value) {
  case let value as T: value
  case let value as Double: T(value)
  case let value as Float: T(value)
  case let value as any BinaryInteger: T(value)
  case let value as NSNumber: T(value.doubleValue)
  case let value as Decimal128: T(value.doubleValue)
  default: nil
  }
}
