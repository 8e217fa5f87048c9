import Foundation
public import ObjectStore

extension AnyRealmValue: _Persistable, RealmCollectionValue {
  /// What a property of this type is stored as.
  public typealias PersistedType = AnyRealmValue
  public static var _rlmDescription: _PropertyDescription { .init(.any) }
  public static func _rlmDefaultValue() -> AnyRealmValue { .none }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue {
    switch self {
    case .object(let value): realm.adder.anyLink(to: value)
    case .dictionary(let value): realm.nester.nest(value)
    case .list(let value): realm.nester.nest(value)
    default: plainStored ?? .null
    }
  }

  public var _rlmComparable: StoredValue? { plainStored }

  /// The value in the store's terms; nil for what only a realm can store.
  var plainStored: StoredValue? {
    switch self {
    case .none: .null
    case .int(let value): .int(Int64(value))
    case .bool(let value): .bool(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .data(let value): .data([UInt8](value))
    case .date(let value): .date(value.timeIntervalSinceReferenceDate)
    case .objectId(let value): .objectId(value.stored)
    case .decimal128(let value): .decimal128(value.stored)
    case .uuid(let value): .uuid(value.storedBytes)
    case .object, .dictionary, .list: nil
    }
  }

  public static func _rlmFromStored(
    _ stored: StoredValue, _ realm: _RealmInstance
  ) -> AnyRealmValue {
    if case .link(let table, let key) = stored {
      if let nested = realm.nester.collection(table, key) { return nested }
      return (realm.object(in: table, key) as? Object).map { .object($0) } ?? .none
    }
    return AnyRealmValue(plain: stored) ?? .none
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> AnyRealmValue? {
    guard let converted = AnyRealmValue(content: value) else {
      if unwrapped(value) is any Sequence {
        throwRealmException(
          """
          AnyRealmValue can hold arrays and dictionaries of what it can hold, and not a value of \
          type '\(type(of: value))'.
          """)
      }
      return nil
    }
    return converted.taken(into: realm)
  }

  /// The stored value, unless it is a link: only the realm can make its object.
  init?(plain stored: StoredValue) {
    switch stored {
    case .null: self = .none
    case .int(let value): self = .int(Int(value))
    case .bool(let value): self = .bool(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .data(let bytes): self = .data(Data(bytes))
    case .date(let seconds): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .objectId(let bytes): self = .objectId(ObjectId(bytes))
    case .decimal128(let bits): self = .decimal128(Decimal128(bits))
    case .uuid(let bytes): self = .uuid(UUID(bytes: bytes))
    case .link: return nil
    }
  }
}
