public import Foundation

// The types that documents of MongoDB's BSON are made of, as plain values.

/// A type whose values can say which partition of a synchronised realm is meant.
public protocol PartitionValue: Sendable {}

/// A type that BSON has.
public protocol BSON: PartitionValue, Equatable {}

/// A BSON document.
public typealias Document = [String: AnyBSON?]

/// The value that sorts below all others.
public struct MinKey: BSON, Hashable {
  /// The one value of the type.
  public init() {}
}

/// The value that sorts above all others.
public struct MaxKey: BSON, Hashable {
  /// The one value of the type.
  public init() {}
}

extension NSNull: BSON {}
extension Int: BSON {}
extension Int32: BSON {}
extension Int64: BSON {}
extension Bool: BSON {}
extension Double: BSON {}
extension String: BSON {}
extension Data: BSON {}
extension Date: BSON {}
extension Decimal128: BSON {}
extension ObjectId: BSON {}
extension UUID: BSON {}
extension NSRegularExpression: BSON {}
extension Dictionary: PartitionValue where Key == String, Value == AnyBSON? {}
extension Dictionary: BSON where Key == String, Value == AnyBSON? {}
extension Array: PartitionValue where Element == AnyBSON? {}
extension Array: BSON where Element == AnyBSON? {}
