import Foundation
import RealmSwift

// The second half of docs/API.md: from queries to the values of BSON.

private func queries(_ cats: Results<Cat>, _ cat: Cat) {
  _ = cats.where { $0.age > 1 && $0.age <= 3 || !($0.name == "Tom") }
  _ = cats.where { $0.name.like("T*", caseInsensitive: true) || $0.name.contains("o") }
  _ = cats.where { $0.name.starts(with: "T", options: [.caseInsensitive]) }
  _ = cats.where { $0.name.ends(with: "m", options: [.diacriticInsensitive]) }
  _ = cats.where { $0.age.in([1, 2]) || $0.age.contains(1..<3) || $0.age.contains(1...3) }
  _ = cats.where { $0.friends.count > 1 && $0.friends.age > 2 && $0.numbers.contains(1) }
  _ = cats.where { $0.numbers.sum > 3 && $0.numbers.avg > 1 && $0.numbers.min > 0 }
  _ = cats.where { $0.numbers.containsAny(in: [1]) }
  _ = cats.where { ($0.friends.age > 2).count > 1 }
  _ = cats.where { $0.mood.rawValue == 1 || $0.mood == .wild }
  _ = cats.where { $0.heat.persistableValue > 3 }
  _ = cats.where { $0.friends.contains(cat) }
  _ = cats.where { $0.counts.values > 1 }
}

private func threads(_ cat: Cat) {
  let reference = ThreadSafeReference(to: cat)
  _ = reference.isInvalidated
  @ThreadSafe var safe: Cat? = cat
  _ = safe
}

private func schemas(_ schema: Schema) {
  let object: ObjectSchema? = schema["Cat"]
  _ = (schema.objectSchema, schema.description, schema == schema)
  _ = (object?.properties, object?.className, object?.objectClass, object?.isEmbedded)
  _ = (object?.isAsymmetric, object?.primaryKeyProperty, object?["age"])
  let property: Property? = object?["age"]
  _ = (property?.name, property?.columnName, property?.type, property?.isArray, property?.isSet)
  _ = (property?.isMap, property?.isIndexed, property?.isOptional, property?.objectClassName)
  let types: [PropertyType] = [
    .int, .bool, .string, .data, .date, .float, .double, .object, .linkingObjects, .any,
    .objectId, .decimal128, .UUID,
  ]
  _ = (types.map(\.rawValue), object == object, object?.description, property == property)
}

private func values(_ cat: Cat) throws {
  let values: [AnyRealmValue] = [
    .none, .int(1), .bool(true), .float(1), .double(1), .string("a"), .data(Data()), .date(Date()),
    .object(cat), .objectId(ObjectId()), .decimal128(1), .uuid(UUID()),
    .fromDictionary(["a": .int(1)]), .fromArray([.int(1)]), AnyRealmValue(),
  ]
  let any = values[0]
  _ = (any.intValue, any.boolValue, any.floatValue, any.doubleValue, any.stringValue)
  _ = (any.dataValue, any.dateValue, any.object(Cat.self), any.objectIdValue)
  _ = (any.decimal128Value, any.uuidValue, any.dictionaryValue, any.listValue)
  var decimal = try Decimal128(string: "1.5")
  decimal.negate()
  _ = (Decimal128(), Decimal128(value: 1), Decimal128(number: 1), Decimal128(exactly: 1))
  _ = (Decimal128.min, Decimal128.max, decimal.magnitude, decimal.isNaN, decimal.isSignaling)
  _ = (decimal.isSignalingNaN, decimal.doubleValue, decimal.decimalValue, decimal.stringValue)
  _ = (decimal + 1 - 1 * 1 / 1, decimal.distance(to: 1), decimal.advanced(by: 1), decimal < 1)
  let id = try ObjectId(string: "0123456789abcdef01234567")
  _ = (ObjectId(), ObjectId.generate(), ObjectId("0123456789abcdef01234567"), id.timestamp)
  _ = (ObjectId(timestamp: Date(), machineId: 1, processId: 1), id.stringValue, id < id)
}

private func errors(_ error: Realm.Error) {
  let codes: [Realm.Error.Code] = [
    .fail, .fileAccess, .filePermissionDenied, .fileExists, .fileNotFound,
    .fileFormatUpgradeRequired, .incompatibleLockFile, .addressSpaceExhausted, .schemaMismatch,
    .alreadyOpen, .invalidInput, .outOfDiskSpace, .incompatibleSession,
    .unsupportedFileFormatVersion, .multipleSyncAgents, .subscriptionFailed, .fileOperationFailed,
    .invalidDatabase, .incompatibleHistories, .noSubscriptionForWrite,
  ]
  _ = (codes, error.code, error.userInfo, error.localizedDescription, error.fileURL, error.hash)
  _ = (Realm.Error.errorDomain, Realm.Error.callFailed, error == Realm.Error.callFailed)
  do { throw error } catch Realm.Error.fileAccess {} catch let error as NSError { _ = error } catch
  {}
}

private func bson() {
  let document: Document = ["a": 1, "b": nil]
  let any: [AnyBSON] = [
    .double(1), .string("a"), .document(document), .array([nil]), .binary(Data()),
    .objectId(ObjectId()), .bool(true), .datetime(Date()), .int32(1), .timestamp(Date()),
    .int64(1), .decimal128(1), .uuid(UUID()), .minKey, .maxKey, .null, "a", 1, 1.5, true, [1],
    ["a": 1],
  ]
  let value: Int? = any[0].value()
  _ = (value, any[0].asInt, any[0].asInt32, any[0].asInt64, any[0].asDouble, any[0].asDecimal128)
  let partitions: [any PartitionValue] = [MinKey(), MaxKey(), NSNull(), 1, "a"]
  _ = partitions
}
