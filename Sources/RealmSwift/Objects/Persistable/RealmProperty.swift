// Boxes that older models have in place of optional properties. They hold a value and are no stored
// properties by themselves: what is to be stored is declared with `@Persisted`.

/// A value that can be nil, or is an `AnyRealmValue`, in a box of its own.
///
/// Models written for `@Persisted` have an optional property instead.
public final class RealmProperty<Value: RealmPropertyType>: Equatable {
  /// The value.
  public var value: Value

  init(_ value: Value) { self.value = value }

  /// Whether both hold the same value; values that cannot be compared are never the same.
  public static func == (left: RealmProperty<Value>, right: RealmProperty<Value>) -> Bool {
    func isEqual<T: Equatable>(_ value: T) -> Bool { value == right.value as? T }
    return (left.value as? any Equatable).map { isEqual($0) } ?? false
  }
}

extension RealmProperty where Value: ExpressibleByNilLiteral {
  /// Holds nil.
  public convenience init() { self.init(nil) }
}

extension RealmProperty where Value: _DefaultConstructible {
  /// Holds the type's default value.
  public convenience init() { self.init(Value()) }
}

extension RealmProperty: Decodable where Value: Decodable {
  /// Decodes the value.
  public convenience init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Value.self))
  }
}

extension RealmProperty: Encodable where Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

/// An optional number, boolean or enumeration in a box of its own.
@available(*, deprecated, renamed: "RealmProperty", message: "Declare an optional property.")
public final class RealmOptional<Value: RealmOptionalType> {
  /// The value.
  public var value: Value?

  /// Holds the value.
  public init(_ value: Value? = nil) { self.value = value }
}

@available(*, deprecated)
extension RealmOptional: Equatable where Value: Equatable {
  /// Whether both hold the same value.
  public static func == (left: RealmOptional<Value>, right: RealmOptional<Value>) -> Bool {
    left.value == right.value
  }
}

@available(*, deprecated)
extension RealmOptional: Decodable where Value: Decodable {
  /// Decodes the value.
  public convenience init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Value?.self))
  }
}

@available(*, deprecated)
extension RealmOptional: Encodable where Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
