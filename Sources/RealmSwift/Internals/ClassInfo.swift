@_spi(Reflection) import Swift
import ObjectStore
import Platform
import Synchronization

// What the library knows about one Swift class: its stored properties with their places inside an
// instance. Found once per class, by field reflection and one instance that is made for it (what a
// property was declared with is part of the wrapper's initial value).

/// One `@Persisted` property of a class.
struct PropertyInfo {
  /// The name in Swift.
  let name: String
  /// The name in the file.
  let columnName: String
  /// Where it is in an instance; `nowhere` for what is only ever read from a row.
  let offset: Int
  let field: any PersistedField.Type
  let description: _PropertyDescription
  /// The class, as the realm names it, that a link or linking objects lead to.
  let targetName: String?
  let isIndexed: Bool
  let isFullText: Bool
  let isPrimaryKey: Bool
  /// For linking objects: the property over there.
  let originProperty: String?

  /// The offset of properties that instances of their class have no place for.
  static let nowhere = -1
}

/// The stored properties of one class.
final class ClassInfo: @unchecked Sendable {
  // Immutable after init; the metatypes in it are what is not formally Sendable.
  let type: ObjectBase.Type
  let name: String
  let properties: [PropertyInfo]
  /// Of the properties that hold objects, in whatever way.
  let linkingFields: [FieldSlot]
  /// Whether its objects get all their values as soon as they are made, none of which is another
  /// object, and some of which are indexed.
  let isFilledAtOnce: Bool
  /// In the order of `properties`: what a loop over an object's properties needs.
  let fields: [FieldSlot]
  let names: [String]
  /// What arrays of values hold, by its place in `properties`: all but linking objects.
  let givenProperties: [Int]
  let primaryKey: Int?
  /// Whether its objects are dynamic ones, for which the class is known by its name alone.
  let isDynamic: Bool
  /// What accessors of the class are copied from, but for their columns; nil for classes that have
  /// more in them than `@Persisted` properties.
  let template: InstanceTemplate?
  /// In the order of `properties`; nil for collections and linking objects.
  let plainProperties: [PlainProperty?]
  private let indexByName: [String: Int]

  private static let known = LockedValue<[ObjectIdentifier: ClassInfo]>([:])

  /// What is known about the class, found out on first use.
  static func of(_ type: ObjectBase.Type) -> ClassInfo {
    let identifier = ObjectIdentifier(type)
    if let info = known.withLock({ $0[identifier] }) { return info }
    // Made outside the lock: it runs the class's initialiser, which is the user's code.
    let info = ClassInfo(type)
    return known.withLock { known in
      if let earlier = known[identifier] { return earlier }
      known[identifier] = info
      return info
    }
  }

  private convenience init(_ type: ObjectBase.Type) {
    let mapping = type.propertiesMapping()
    let indexed = Set(type.indexedProperties())
    let primaryKeyName = type.primaryKey()
    let sample = type.make()
    sample._key = ObjectBase.sampleKey
    var found: [PropertyInfo] = []
    ClassInfo.forEachPersistedField(of: type) { name, offset, field in
      let options = sample._withField(at: offset) { field.options(at: $0) }
      let isPrimaryKey = options.contains(.primaryKey) || name == primaryKeyName
      found.append(
        PropertyInfo(
          name: name, columnName: mapping[name] ?? name, offset: offset, field: field,
          description: field.description, targetName: field.description.target?.className(),
          isIndexed: options.contains(.indexed) || indexed.contains(name),
          isFullText: options.contains(.fullText),
          isPrimaryKey: isPrimaryKey,
          originProperty: sample._withField(at: offset) {
            field.originProperty(at: $0, of: sample)
          }))
    }
    self.init(type, type.className(), found, InstanceTemplate(sample, found))
    if found.count(where: \.isPrimaryKey) > 1 {
      throwRealmException("Class '\(name)' declares more than one primary key.")
    }
  }

  /// - Parameter template: what accessors of the type are copied from, where they can be.
  init(
    _ type: ObjectBase.Type, _ name: String, _ properties: [PropertyInfo],
    _ template: InstanceTemplate?, isDynamic: Bool = false
  ) {
    self.type = type
    self.isDynamic = isDynamic
    self.name = name
    self.properties = properties
    plainProperties = properties.map { property in
      let description = property.description
      guard description.collection == .none, description.type != .linkingObjects else { return nil }
      let path = QueryPath([.property(property.columnName)])
      return PlainProperty(expression: .path(path), type: description.type)
    }
    self.template = template
    names = properties.map(\.name)
    givenProperties = properties.indices.filter {
      properties[$0].description.type != .linkingObjects
    }
    fields = properties.map { property in
      FieldSlot(
        offset: property.offset, kind: FieldKind(property.field.valueType), type: property.field)
    }
    linkingFields = zip(properties, fields).filter { property, _ in
      property.offset != PropertyInfo.nowhere && property.description.type != .linkingObjects
        && (property.description.target != nil || property.description.type == .any)
    }.map(\.1)
    isFilledAtOnce =
      !isDynamic && linkingFields.isEmpty
      && properties.contains { $0.isIndexed && !$0.isPrimaryKey && !$0.isFullText }
    primaryKey = properties.firstIndex { $0.isPrimaryKey }
    indexByName = Dictionary(
      properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  deinit { template?.deallocate() }

  func property(named name: String) -> PropertyInfo? {
    index(ofProperty: name).map { properties[$0] }
  }

  func index(ofProperty name: String) -> Int? {
    // A few names are gone through sooner than one is hashed.
    if names.count <= 8 { return names.firstIndex(of: name) }
    return indexByName[name]
  }

  /// Calls the body with every `@Persisted` field of the class and of its superclasses.
  private static func forEachPersistedField(
    of type: ObjectBase.Type,
    _ body: (_ name: String, _ offset: Int, _ field: any PersistedField.Type) -> Void
  ) {
    // 1: the type is a class. The named constant is a mutable global, which Swift 6 refuses.
    _ = unsafe _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) {
      name, offset, fieldType, _ in
      if let field = fieldType as? any PersistedField.Type {
        // A wrapper's storage is named after the property with an underscore before it.
        let storageName = unsafe String(cString: name)
        body(
          storageName.hasPrefix("_") ? String(storageName.dropFirst()) : storageName,
          offset, field)
      }
      return true
    }
  }
}
