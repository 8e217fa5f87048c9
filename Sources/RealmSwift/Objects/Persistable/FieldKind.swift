import Foundation
import ObjectStore
import Storage

/// The types that most properties have.
///
/// What goes over all properties of an object, to add it or to fill it, is compiled for each of
/// these by itself. For other types it asks the property's metatype, which costs several times as
/// much.
enum FieldKind: UInt8 {
  case other
  case int, bool, double, float, string, date, uuid, objectId
  case optionalInt, optionalBool, optionalDouble, optionalString, optionalDate

  init(_ type: any _Persistable.Type) {
    self = FieldKind.byType[ObjectIdentifier(type)] ?? .other
  }

  private static let byType: [ObjectIdentifier: FieldKind] = [
    ObjectIdentifier(Int.self): .int, ObjectIdentifier(Bool.self): .bool,
    ObjectIdentifier(Double.self): .double, ObjectIdentifier(Float.self): .float,
    ObjectIdentifier(String.self): .string, ObjectIdentifier(Date.self): .date,
    ObjectIdentifier(UUID.self): .uuid, ObjectIdentifier(ObjectId.self): .objectId,
    ObjectIdentifier(Int?.self): .optionalInt, ObjectIdentifier(Bool?.self): .optionalBool,
    ObjectIdentifier(Double?.self): .optionalDouble,
    ObjectIdentifier(String?.self): .optionalString, ObjectIdentifier(Date?.self): .optionalDate,
  ]
}

/// A `@Persisted` property of a class: where it is in an object, and how to treat it.
struct FieldSlot {
  let offset: Int
  let kind: FieldKind
  let type: any PersistedField.Type

  /// Gives an unmanaged property its value where that is of exactly the property's type, as most
  /// are; false where it has to be converted.
  func fill(_ base: FieldAddress, with value: Any) -> Bool {
    let address = base.advanced(by: offset)
    switch kind {
    case .int: return fill(Int.self, address, value)
    case .bool: return fill(Bool.self, address, value)
    case .double: return fill(Double.self, address, value)
    case .float: return fill(Float.self, address, value)
    case .string: return fill(String.self, address, value)
    case .date: return fill(Date.self, address, value)
    case .uuid: return fill(UUID.self, address, value)
    case .objectId: return fill(ObjectId.self, address, value)
    case .optionalInt: return fillOptional(Int.self, address, value)
    case .optionalBool: return fillOptional(Bool.self, address, value)
    case .optionalDouble: return fillOptional(Double.self, address, value)
    case .optionalString: return fillOptional(String.self, address, value)
    case .optionalDate: return fillOptional(Date.self, address, value)
    case .other: return false
    }
  }

  @inline(__always)
  private func fill<Value: _ColumnValue>(
    _: Value.Type, _ address: FieldAddress, _ value: Any
  ) -> Bool {
    guard let exact = exactly(Value.self, value) else { return false }
    address[Persisted<Value>.self].storage = .value(exact)
    return true
  }

  @inline(__always)
  private func fillOptional<Value: _ColumnValue & _PersistableInsideOptional>(
    _: Value.Type, _ address: FieldAddress, _ value: Any
  ) -> Bool {
    guard let exact = exactly(Value.self, value) else { return false }
    address[Persisted<Value?>.self].storage = .value(exact)
    return true
  }

  /// The unmanaged value of an integer property, which from then on has it if it had none.
  @inline(__always)
  func integer(_ base: FieldAddress) -> Int {
    let address = base.advanced(by: offset)
    if case .value(let value) = address[Persisted<Int>.self].storage { return value }
    address[Persisted<Int>.self].storage = .value(0)
    return 0
  }
}

/// Moves the values of an object that gets a new row into that row.
struct RowFiller {
  let objects: ObjectTransaction
  let readState: ReadStateReference
  let table: TableKey
  let key: ObjectKey
  let primaryKeyColumn: UInt32

  /// Writes a property and makes it a managed one. The object already knows its row.
  func move(_ field: FieldSlot, _ column: UInt32, of object: ObjectBase) {
    let address = FieldAddress(object, at: field.offset)
    switch field.kind {
    case .int: move(Int.self, address, column)
    case .bool: move(Bool.self, address, column)
    case .double: move(Double.self, address, column)
    case .float: move(Float.self, address, column)
    case .string: move(String.self, address, column)
    case .date: move(Date.self, address, column)
    case .uuid: move(UUID.self, address, column)
    case .objectId: move(ObjectId.self, address, column)
    case .optionalInt: move(Int?.self, address, column)
    case .optionalBool: move(Bool?.self, address, column)
    case .optionalDouble: move(Double?.self, address, column)
    case .optionalString: move(String?.self, address, column)
    case .optionalDate: move(Date?.self, address, column)
    case .other: field.type.transfer(address, of: object, column: column, .new)
    }
  }

  @inline(__always)
  private func move<Value: _ColumnValue>(
    _: Value.Type, _ address: FieldAddress, _ column: UInt32
  ) {
    let value: Value
    if case .value(let given) = address[Persisted<Value>.self].storage {
      value = given
    } else {
      value = Value._rlmDefaultValue()
    }
    address[Persisted<Value>.self].storage = .managed
    address[Persisted<Value>.self].column = column
    if value._rlmIsDefault || column == primaryKeyColumn { return }
    engine { () throws(StorageError) in
      try value._rlmWrite(objects, ColumnKey(rawValue: column), of: key, in: table)
    }
    readState.pointee.generation &+= 1
  }
}
