import Foundation

// Values that arrive as `Any`: in `init(value:)`, `create(_:value:)` and `setValue(_:forKey:)`.

/// Whether the value is nil, `NSNull` or an optional holding nothing, at any depth.
func isNull(_ value: Any) -> Bool {
  if value is NSNull { return true }
  guard let optional = value as? any OptionalProtocol else { return false }
  guard let inner = optional._erasedValue else { return true }
  return isNull(inner)
}

/// The value without the optionals around it; nil where there is none.
func unwrapped(_ value: Any) -> Any? {
  if value is NSNull { return nil }
  guard let optional = value as? any OptionalProtocol else { return value }
  return optional._erasedValue.flatMap(unwrapped)
}

extension OptionalProtocol {
  fileprivate var _erasedValue: Any? { _optionalValue }
}

/// The whole number that the value is, if it is one that fits.
func integer<T: FixedWidthInteger>(_ value: Any, as type: T.Type = T.self) -> T? {
  switch unwrapped(value) {
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
  switch unwrapped(value) {
  case let value as T: value
  case let value as Double: T(value)
  case let value as Float: T(value)
  case let value as any BinaryInteger: T(value)
  case let value as NSNumber: T(value.doubleValue)
  case let value as Decimal128: T(value.doubleValue)
  default: nil
  }
}
