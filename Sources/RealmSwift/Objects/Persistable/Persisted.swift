// `@Persisted`: the one way to declare a property that is stored.
//
// The wrapper lives in the object like any stored property. While the object is unmanaged it holds
// the value; once managed it holds only the column, and the static subscript, which sees the
// enclosing object, reads and writes the store. The subscript is inlinable, so that the optimiser
// replaces the key path by a plain field access and the getter by the type's own reading function.

/// What a `@Persisted` property holds.
@frozen @usableFromInline
enum PersistedStorage<Value> {
  /// Unmanaged, not yet asked for: made on first use.
  case lazyDefault
  /// Unmanaged.
  case value(Value)
  /// The value is in the store.
  case managed
  /// The value is in the store, and this is the collection that stands for it.
  case managedCollection(Value)
  /// A prototype that notes which properties a key path goes through.
  case recording
}

/// How a property was declared.
@frozen @usableFromInline
struct PersistedOptions: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8
  @inlinable init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable static var indexed: PersistedOptions { PersistedOptions(rawValue: 1) }
  @inlinable static var primaryKey: PersistedOptions { PersistedOptions(rawValue: 2) }
  @inlinable static var fullText: PersistedOptions { PersistedOptions(rawValue: 4) }
}

/// Declares a property of an `Object` subclass that is stored in the realm.
///
///     class Person: Object {
///       @Persisted(primaryKey: true) var id: ObjectId
///       @Persisted var name = ""
///       @Persisted(indexed: true) var age: Int
///       @Persisted var friends: List<Person>
///     }
///
/// The primary key's value cannot change once the object is managed.
@frozen
@propertyWrapper
public struct Persisted<Value: _Persistable> {
  @usableFromInline var storage: PersistedStorage<Value>
  @usableFromInline var column: UInt32 = 0
  @usableFromInline var options: PersistedOptions

  @inlinable
  init(_ storage: PersistedStorage<Value>, _ options: PersistedOptions) {
    self.storage = storage
    self.options = options
  }

  @inlinable
  var isManaged: Bool {
    switch storage {
    case .managed, .managedCollection: true
    case .lazyDefault, .value, .recording: false
    }
  }

  /// A property with its type's default value.
  @inlinable
  public init() { self.init(.lazyDefault, []) }

  /// A property with a value of its own to start with.
  @inlinable
  public init(wrappedValue: Value) { self.init(.value(wrappedValue), []) }

  @available(*, unavailable, message: "@Persisted can only be used as a property on a Realm object")
  public var wrappedValue: Value {
    get { throwRealmException("@Persisted can only be used as a property on a Realm object") }
    set { throwRealmException("@Persisted can only be used as a property on a Realm object") }
  }

  @inlinable
  public static subscript<Enclosing: ObjectBase>(
    _enclosingInstance object: Enclosing,
    wrapped _: ReferenceWritableKeyPath<Enclosing, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<Enclosing, Self>
  ) -> Value {
    get {
      let persisted = object[keyPath: storageKeyPath]
      if case .managed = persisted.storage {
        if !Value._rlmRequiresCaching { return Value._rlmGet(object, persisted.column) }
      } else if case .value(let value) = persisted.storage {
        return value
      } else if Value._rlmRequiresCaching, case .managedCollection(let value) = persisted.storage {
        Value._rlmCheckCached(object)
        return value
      }
      let (value, storage) = persisted.resolve(object)
      if let storage { object[keyPath: storageKeyPath].storage = storage }
      return value
    }
    // Always inlined: only where the key path is a constant can the optimiser do without it.
    @inline(__always)
    set {
      let persisted = object[keyPath: storageKeyPath]
      if persisted.isManaged {
        Value._rlmSet(object, persisted.column, newValue)
      } else {
        object[keyPath: storageKeyPath].storage = .value(newValue)
      }
    }
  }

  /// The value in the rarer states, and what the property must hold from now on, if that changes.
  @usableFromInline
  func resolve(_ object: ObjectBase) -> (value: Value, storage: PersistedStorage<Value>?) {
    switch storage {
    case .value(let value), .managedCollection(let value):
      return (value, nil)
    case .lazyDefault:
      let value = Value._rlmDefaultValue()
      return (value, .value(value))
    case .managed:
      let value = Value._rlmGet(object, column)
      // A frozen object may be read by several threads at once, so nothing is kept in it.
      return (value, object.isFrozen ? nil : .managedCollection(value))
    case .recording:
      KeyPathRecorder.touch(object, column)
      return (Value._rlmRecordingValue(), nil)
    }
  }
}

extension Persisted where Value.PersistedType: _Indexable {
  /// A property that is indexed, so that queries that compare it need not look at every object.
  @inlinable
  public init(indexed: Bool) { self.init(.lazyDefault, indexed ? .indexed : []) }

  /// A property that is indexed, with a value to start with.
  @inlinable
  public init(wrappedValue: Value, indexed: Bool) {
    self.init(.value(wrappedValue), indexed ? .indexed : [])
  }
}

/// An index of a kind of its own.
public enum PersistedIndex: Sendable {
  /// Of the words in strings, for full-text search: `Query.text(_:)`, and `TEXT` in predicate
  /// strings.
  case fullText
}

extension Persisted where Value.PersistedType: _QueryString {
  /// A property that is indexed by its words: `@Persisted(indexed: .fullText) var text: String`.
  @inlinable
  public init(indexed: PersistedIndex) { self.init(.lazyDefault, .fullText) }

  /// A property that is indexed by its words, with a value to start with.
  @inlinable
  public init(wrappedValue: Value, indexed: PersistedIndex) {
    self.init(.value(wrappedValue), .fullText)
  }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
  /// The property that identifies an object among those of its class.
  @inlinable
  public init(primaryKey: Bool) { self.init(.lazyDefault, primaryKey ? .primaryKey : []) }

  /// The property that identifies an object among those of its class, with a value to start with.
  @inlinable
  public init(wrappedValue: Value, primaryKey: Bool) {
    self.init(.value(wrappedValue), primaryKey ? .primaryKey : [])
  }
}

extension Persisted: Decodable where Value: Decodable {
  /// Decodes the value of an unmanaged object's property.
  public init(from decoder: any Decoder) throws {
    // Through a container, so that the decoder's strategies for dates and data apply.
    self.init(.value(try decoder.singleValueContainer().decode(Value.self)), [])
  }
}

extension Persisted: Encodable where Value: Encodable {
  /// Encodes the value of an unmanaged object's property.
  ///
  /// - Throws: `EncodingError.invalidValue` for a managed object, whose class has to define
  /// `encode(to:)`.
  public func encode(to encoder: any Encoder) throws {
    switch storage {
    case .value(let value), .managedCollection(let value):
      try Self.encode(value, to: encoder)
    case .lazyDefault: try Self.encode(Value._rlmDefaultValue(), to: encoder)
    case .managed, .recording:
      throw EncodingError.invalidValue(
        self,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: """
            Only unmanaged Realm objects can be encoded using automatic Codable synthesis. You \
            must explicitly define encode(to:) on your model class to support managed Realm objects.
            """))
    }
  }
}

extension Persisted where Value: Encodable {
  /// Through a container, so that the encoder's strategies for dates and data apply.
  private static func encode(_ value: Value, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

/// A wrapper whose absence in what is decoded means nil.
public protocol OptionalCodingWrapper {
  /// Wraps a value.
  init(wrappedValue: WrappedType)
  /// The type of the value, which can be nil.
  associatedtype WrappedType: ExpressibleByNilLiteral
}

extension Persisted: OptionalCodingWrapper where Value: ExpressibleByNilLiteral {
  /// The property's type.
  public typealias WrappedType = Value
}

extension KeyedDecodingContainer {
  /// Decodes an optional `@Persisted` property; an absent key means nil.
  public func decode<T: Decodable & OptionalCodingWrapper>(
    _ type: T.Type, forKey key: K
  ) throws -> T {
    try decodeIfPresent(type, forKey: key) ?? T(wrappedValue: nil)
  }
}
