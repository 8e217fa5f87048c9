import ObjectStore
import Storage

// The program's classes in the store's terms.

enum RealmSchema {
  /// The classes of a configuration: those it names, or all of the program.
  ///
  /// - Throws: what is wrong with them.
  static func classes(of configuration: Realm.Configuration) throws(RLMError) -> [ClassInfo] {
    let types = configuration.objectTypes ?? allTypes
    var infos: [ClassInfo] = []
    var byName: [String: ClassInfo] = [:]
    for type in types {
      let info = ClassInfo.of(type)
      if let other = byName[info.name] {
        if other === info { continue }
        throwRealmException(
          """
          The schema has two classes named '\(info.name)'; rename one, or list the classes in \
          `objectTypes`.
          """)
      }
      byName[info.name] = info
      infos.append(info)
    }
    let validation = SchemaValidation(
      infos, byName, isListed: configuration.objectTypes != nil,
      isSynced: configuration.syncUser != nil)
    if let faults = validation.message {
      throw RLMError(.fail, faults, path: configuration.path)
    }
    return infos
  }

  /// All classes of the program that belong into every realm. Found once: classes are not unloaded,
  /// and those of libraries that are loaded later can be named in `objectTypes`.
  private static let allTypes = ClassDiscovery.allClasses.filter { $0._isInDefaultSchema }

  /// What the classes want of the file.
  static func description(of classes: [ClassInfo], version: UInt64) -> SchemaDescription {
    SchemaDescription(
      classes: classes.map { info in
        ClassDescription(
          name: info.name, properties: info.properties.compactMap { storedProperty($0) },
          isEmbedded: info.isEmbedded)
      }, version: version)
  }

  private static func storedProperty(_ property: PropertyInfo) -> PropertyDescription? {
    guard let kind = ValueKind(property.description.type) else { return nil }
    return PropertyDescription(
      name: property.columnName, kind: kind,
      collection: property.description.collection,
      isOptional: property.description.isOptional, isPrimaryKey: property.isPrimaryKey,
      isIndexed: property.isIndexed, isFullText: property.isFullText,
      linkTarget: property.targetName)
  }
}

extension ValueKind {
  /// Nil for linking objects, which are not stored.
  init?(_ type: PropertyType) {
    switch type {
    case .int: self = .int
    case .bool: self = .bool
    case .string: self = .string
    case .data: self = .data
    case .date: self = .date
    case .float: self = .float
    case .double: self = .double
    case .object: self = .object
    case .linkingObjects: return nil
    case .any: self = .any
    case .objectId: self = .objectId
    case .decimal128: self = .decimal128
    case .UUID: self = .uuid
    }
  }
}

extension ClassInfo {
  /// The class as the public API describes it.
  var objectSchema: ObjectSchema {
    let described = properties.map { property in
      Property(
        name: property.name, columnName: property.columnName, type: property.description.type,
        isArray: property.description.collection == .list,
        isSet: property.description.collection == .set,
        isMap: property.description.collection == .map,
        isIndexed: property.isIndexed || property.isPrimaryKey || property.isFullText,
        isOptional: property.description.isOptional,
        objectClassName: property.targetName,
        originProperty: property.originProperty)
    }
    return ObjectSchema(
      className: name, objectClass: type, properties: described,
      primaryKeyProperty: primaryKey.map { described[$0] }, isEmbedded: isEmbedded,
      isAsymmetric: isAsymmetric)
  }
}
