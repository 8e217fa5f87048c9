import Foundation
import ObjectStore

// What a file's schema looks like to the public API, where no Swift class may be known for it.

extension Schema {
  init(_ description: SchemaDescription) {
    let classes = description.classes.filter { !$0.isRemoved && !$0.isHidden }
    self.init(classes.map { ObjectSchema($0) })
  }
}

extension ObjectSchema {
  fileprivate init(_ description: ClassDescription) {
    let properties = description.properties.map { Property($0) }
    self.init(
      className: description.name, objectClass: Object.self, properties: properties,
      primaryKeyProperty: description.primaryKey.flatMap { key in
        properties.first { $0.name == key.name }
      }, isEmbedded: description.isEmbedded)
  }
}

extension Property {
  fileprivate init(_ description: PropertyDescription) {
    self.init(
      name: description.name, type: PropertyType(description.kind),
      isArray: description.collection == .list, isSet: description.collection == .set,
      isMap: description.collection == .map,
      isIndexed: description.isIndexed || description.isPrimaryKey || description.isFullText,
      isOptional: description.isOptional, objectClassName: description.linkTarget)
  }
}

extension PropertyType {
  init(_ kind: ValueKind) {
    switch kind {
    case .int: self = .int
    case .bool: self = .bool
    case .string: self = .string
    case .data: self = .data
    case .date: self = .date
    case .float: self = .float
    case .double: self = .double
    case .object: self = .object
    case .any: self = .any
    case .objectId: self = .objectId
    case .decimal128: self = .decimal128
    case .uuid: self = .UUID
    }
  }
}
