import Foundation
import ObjectStore

// `@Persisted` seen without its type: what the library does to a property of any class, given the
// address of the wrapper inside the object.

/// What can be done to a `@Persisted` property at an address.
protocol PersistedField {
  static var description: _PropertyDescription { get }
  static func options(at address: FieldAddress) -> PersistedOptions
  /// The property over there that linking objects were declared with.
  static func originProperty(
    at address: FieldAddress, of object: ObjectBase
  ) -> String?
  /// Makes the property read and write the given column of the store.
  static func attach(_ address: FieldAddress, column: UInt32)
  /// Makes the property of an object without a row one that has its default value.
  static func detach(_ address: FieldAddress)
  /// Makes the property note that a key path goes through it.
  static func record(_ address: FieldAddress, column: UInt32)
  /// The value, in any state.
  static func value(at address: FieldAddress, of object: ObjectBase) -> Any
  /// The value of a managed object's property, which need not have a place in the object.
  static func managedValue(of object: ObjectBase, column: UInt32) -> Any
  /// Sets a managed object's property, which need not have a place in the object; false if the
  /// value cannot become one of its type.
  static func setManaged(_ value: Any, of object: ObjectBase, column: UInt32) -> Bool
  /// Whether an unmanaged property has a value that somebody gave or read.
  static func hasValue(at address: FieldAddress) -> Bool
  /// Takes what an unmanaged property holds a reference to, and leaves the property without.
  static func takeReference(at address: FieldAddress) -> AnyObject?
  /// Sets the property, in any state; false if the value cannot become one of its type.
  /// A realm that is given is the one that the object is going to be added to.
  static func set(
    _ value: Any, at address: FieldAddress, of object: ObjectBase,
    _ realm: _RealmInstance?
  ) -> Bool
  /// Sets a managed property, and leaves alone what it has of the value already; false if the value
  /// cannot become one of its type.
  static func merge(
    _ value: Any, at address: FieldAddress, of object: ObjectBase
  ) -> Bool
  /// Writes the unmanaged value into the store and makes the property a managed one. The object
  /// already knows its row.
  static func transfer(
    _ address: FieldAddress, of object: ObjectBase, column: UInt32,
    _ mode: _TransferMode)
  /// The unmanaged value in the store's terms, for primary keys.
  static func storedValue(
    at address: FieldAddress, of object: ObjectBase, _ realm: _RealmInstance
  ) -> StoredValue?
  /// The type of the property's value.
  static var valueType: any _Persistable.Type { get }
}

extension Persisted: PersistedField {
  static var description: _PropertyDescription { Value._rlmDescription }
  static var valueType: any _Persistable.Type { Value.self }

  static func options(at address: FieldAddress) -> PersistedOptions {
    address[Self.self].options
  }

  static func originProperty(
    at address: FieldAddress, of object: ObjectBase
  ) -> String? {
    guard case .value(let value) = address[Self.self].storage else { return nil }
    return (value as? any LinksHere)?.property
  }

  static func attach(_ address: FieldAddress, column: UInt32) {
    address[Self.self].storage = .managed
    address[Self.self].column = column
  }

  static func detach(_ address: FieldAddress) {
    address[Self.self].storage = .lazyDefault
  }

  static func record(_ address: FieldAddress, column: UInt32) {
    address[Self.self].storage = .recording
    address[Self.self].column = column
  }

  static func value(at address: FieldAddress, of object: ObjectBase) -> Any {
    let (value, storage) = address[Self.self].resolve(object)
    if let storage, Value._rlmRequiresCaching || !object._isManaged {
      address[Self.self].storage = storage
    }
    return value
  }

  static func takeReference(at address: FieldAddress) -> AnyObject? {
    guard case .value(let value) = address[Self.self].storage,
      let reference = heldReference(value)
    else { return nil }
    address[Self.self].storage = .lazyDefault
    return reference
  }

  static func managedValue(of object: ObjectBase, column: UInt32) -> Any {
    Value._rlmGet(object, column)
  }

  static func setManaged(_ value: Any, of object: ObjectBase, column: UInt32) -> Bool {
    let realm = object._instance
    // Where the class is not known, a property of a type of the user's has the type that it is
    // stored as.
    let converted =
      Value._rlmPropertyFromAny(value, realm)
      ?? persistedArgument(value).flatMap { Value._rlmPropertyFromAny($0, realm) }
    guard let converted else { return false }
    Value._rlmSet(object, column, converted)
    return true
  }

  static func hasValue(at address: FieldAddress) -> Bool {
    if case .lazyDefault = address[Self.self].storage { return false }
    return true
  }

  static func set(
    _ value: Any, at address: FieldAddress, of object: ObjectBase,
    _ realm: _RealmInstance?
  ) -> Bool {
    guard let converted = Value._rlmPropertyFromAny(value, object._instance ?? realm) else {
      return false
    }
    if object._isManaged {
      Value._rlmSet(object, address[Self.self].column, converted)
    } else {
      address[Self.self].storage = .value(converted)
    }
    return true
  }

  static func merge(
    _ value: Any, at address: FieldAddress, of object: ObjectBase
  ) -> Bool {
    guard let converted = Value._rlmPropertyFromAny(value, object._instance) else { return false }
    Value._rlmTransfer(converted, object, address[Self.self].column, .overwriteModified)
    return true
  }

  // Adding objects spends its time here; without types it would look up each one's metadata.
  @_specialize(where Value == Int)
  @_specialize(where Value == Bool)
  @_specialize(where Value == Double)
  @_specialize(where Value == String)
  @_specialize(where Value == Date)
  @_specialize(where Value == UUID)
  @_specialize(where Value == ObjectId)
  @_specialize(where Value == Int?)
  @_specialize(where Value == String?)
  @_specialize(where Value == Date?)
  @_specialize(where Value == Double?)
  @_specialize(where Value == Bool?)
  static func transfer(
    _ address: FieldAddress, of object: ObjectBase, column: UInt32,
    _ mode: _TransferMode
  ) {
    let value: Value
    switch address[Self.self].storage {
    case .value(let given): value = given
    default: value = Value._rlmDefaultValue()
    }
    attach(address, column: column)
    Value._rlmTransfer(value, object, column, mode)
  }

  @_specialize(where Value == Int)
  @_specialize(where Value == Bool)
  @_specialize(where Value == Double)
  @_specialize(where Value == String)
  @_specialize(where Value == Date)
  @_specialize(where Value == UUID)
  @_specialize(where Value == ObjectId)
  @_specialize(where Value == Int?)
  @_specialize(where Value == String?)
  @_specialize(where Value == Date?)
  @_specialize(where Value == Double?)
  @_specialize(where Value == Bool?)
  static func storedValue(
    at address: FieldAddress, of object: ObjectBase, _ realm: _RealmInstance
  ) -> StoredValue? {
    let value: Value
    switch address[Self.self].storage {
    case .value(let given): value = given
    default:
      value = Value._rlmDefaultValue()
      address[Self.self].storage = .value(value)
    }
    return Value._rlmStoredKey(value, realm)
  }
}
