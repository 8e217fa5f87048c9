import ObjectStore
import SyncProtocol

/// A class of the program as the file and the server name it.
struct SyncedClass: Sendable {
  let type: NameID
  let name: String
  let table: TableKey
  /// None for embedded objects.
  let primaryKey: PropertyDescription?
  let properties: [NameID: PropertyDescription]
  /// The names of columns; a map has two.
  let names: [ColumnKey: NameID]
}

/// The classes of a file that are synchronised: all of the program's that have primary keys, and
/// those of embedded objects.
struct SyncedClasses: Sendable {
  private let byType: [NameID: SyncedClass]
  private let byTable: [TableKey: SyncedClass]

  /// Names that are not known yet are added.
  init(_ schema: SchemaDescription, _ names: inout Names) {
    var byType: [NameID: SyncedClass] = [:]
    for description in schema.classes where description.isSynced {
      let type = names.add(Text(description.name))
      var properties: [NameID: PropertyDescription] = [:]
      var columns: [ColumnKey: NameID] = [:]
      for property in description.properties where !property.isPrimaryKey {
        let name = names.add(Text(property.name))
        properties[name] = property
        columns[property.columnKey] = name
        if property.collection == .map { columns[property.mapKeys.columnKey] = name }
      }
      byType[type] = SyncedClass(
        type: type, name: description.name, table: description.tableKey,
        primaryKey: description.primaryKey, properties: properties, names: columns)
    }
    self.byType = byType
    byTable = Dictionary(uniqueKeysWithValues: byType.values.map { ($0.table, $0) })
  }

  subscript(type: NameID) -> SyncedClass? { byType[type] }
  subscript(table: TableKey) -> SyncedClass? { byTable[table] }
  var all: some Collection<SyncedClass> { byType.values }
}

extension ClassDescription {
  /// Whether objects of the class are synchronised.
  var isSynced: Bool { !isRemoved && !isHidden && (isEmbedded || primaryKey != nil) }
}

extension SchemaDescription {
  /// The classes as the server is told of them.
  public var syncedClasses: [SchemaClass] {
    classes.filter(\.isSynced).map { description in
      var properties: [Text: PropertyType] = [:]
      for property in description.properties {
        properties[Text(property.name)] = PropertyType(property, in: self)
      }
      return SchemaClass(
        name: Text(description.name), isEmbedded: description.isEmbedded,
        key: Text(description.primaryKey?.name ?? ""), properties: properties)
    }
  }
}

extension PropertyType {
  fileprivate init(_ property: PropertyDescription, in schema: SchemaDescription) {
    let target = property.linkTarget.flatMap { schema.description(of: $0) }
    let value: ValueType =
      switch property.kind {
      case .int: .int
      case .bool: .bool
      case .string: .string
      case .data: .data
      case .date: .date
      case .float: .float
      case .double: .double
      case .object: target?.isEmbedded == true ? .object : .link
      case .any: .any
      case .objectId: .objectID
      case .decimal128: .decimal
      case .uuid: .uuid
      }
    let shape: Shape =
      switch property.collection {
      case .none: .single
      case .list: .list
      case .set: .set
      case .map: .map
      }
    self.init(
      value, shape, isOptional: property.isOptional, target: Text(property.linkTarget ?? ""))
  }
}
