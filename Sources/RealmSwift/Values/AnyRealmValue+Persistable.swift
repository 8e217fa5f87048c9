import Foundation
public import ObjectStore

extension AnyRealmValue: _Persistable, RealmCollectionValue {
  public typealias PersistedType = AnyRealmValue
  public static var _rlmDescription: _PropertyDescription { .init(.any) }
  public static func _rlmDefaultValue() -> AnyRealmValue { .none }

  public func _rlmStored(_ realm: _RealmInstance) -> StoredValue {
    if case .object(let object) = self { return realm.link(to: object) }
    return StoredValue(constant: content) ?? .null
  }

  public static func _rlmFromStored(
    _ stored: StoredValue, _ realm: _RealmInstance
  ) -> AnyRealmValue {
    switch stored {
    case .null: .none
    case .int(let value): .int(Int(value))
    case .bool(let value): .bool(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .data(let bytes): .data(Data(bytes))
    case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .objectId(let bytes): .objectId(ObjectId(bytes))
    case .decimal128(let bits): .decimal128(Decimal128(bits))
    case .uuid: .uuid(UUID._rlmFromStored(stored, realm))
    case .link(let table, let key):
      (realm.object(in: table, key) as? Object).map { .object($0) } ?? .none
    }
  }

  public static func _rlmFromAny(_ value: Any, _ realm: _RealmInstance?) -> AnyRealmValue? {
    AnyRealmValue(content: value)
  }
}
