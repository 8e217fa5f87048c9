import Foundation
import ObjectStore

extension StoredValue {
  /// A predicate's constant as the store keeps it; nil if it is of no type that properties have.
  /// Objects are links, which only their realm can make: they are not converted here.
  init?(constant value: Any?) {
    guard let value = persistedArgument(value) else {
      self = .null
      return
    }
    // Foundation's boxes would also pass for whatever they can be converted to.
    if type(of: value) is NSObject.Type {
      self.init(foundation: value)
      return
    }
    switch value {
    case let value as Bool: self = .bool(value)
    case let value as any BinaryInteger:
      guard let converted = Int64(exactly: value) else { return nil }
      self = .int(converted)
    case let value as Double: self = .double(value)
    case let value as Float: self = .float(value)
    case let value as String: self = .string(value)
    case let value as Date: self = .date(value.timeIntervalSinceReferenceDate)
    case let value as Data: self = .data([UInt8](value))
    case let value as ObjectId: self = .objectId(value.stored)
    case let value as UUID: self = .uuid(UUIDBytes(value))
    case let value as Decimal128: self = .decimal128(value.stored)
    case let value as Substring: self = .string(String(value))
    case let value as Decimal: self = .decimal128(Decimal128(value).stored)
    default: return nil
    }
  }

  /// Foundation's boxed values.
  private init?(foundation value: Any) {
    switch value {
    case let value as NSString: self = .string(String(describing: value))
    case let value as NSDate: self = .date(value.timeIntervalSinceReferenceDate)
    case let value as NSData: self = .data([UInt8](value as Data))
    case let value as NSUUID: self = .uuid(UUIDBytes(value as UUID))
    case let value as NSDecimalNumber:
      self = .decimal128(Decimal128(value.decimalValue).stored)
    case let value as NSNumber: self.init(number: value)
    default: return nil
    }
  }

  private init(number: NSNumber) {
    switch unsafe String(cString: number.objCType) {
    case "d": self = .double(number.doubleValue)
    case "f": self = .float(number.floatValue)
    default: self = .int(number.int64Value)
    }
  }
}

extension UUIDBytes {
  fileprivate init(_ value: UUID) {
    self = unsafe withUnsafeBytes(of: value.uuid) { bytes in
      unsafe UUIDBytes(
        head: bytes.loadUnaligned(as: UInt64.self),
        tail: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }
}
