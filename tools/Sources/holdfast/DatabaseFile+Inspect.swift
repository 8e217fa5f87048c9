import ObjectStore
import Storage
import ToolReports

extension DatabaseFile {
  func inspect() throws -> InspectReport {
    let database = try open()
    let snapshot = try database.pinNewest()
    defer { snapshot.release() }
    let space = try database.space()
    let schema = try StoreRoot.schema(snapshot.root, in: snapshot.source)
    let store = try snapshot.storeSpace()
    let tables = try store.tables.compactMap { table -> InspectReport.Table? in
      guard let description = schema.description(of: table.table) else { return nil }
      let stored = try StoreRoot.table(table.table, root: snapshot.root, in: snapshot.source)
      return self.table(description, table, objects: stored?.count ?? 0)
    }
    let sizes = sizes()
    let pinned = Set(database.pins().filter(\.isAlive).map(\.version))
    return InspectReport(
      file: .init(
        path: path,
        formatVersion: key == nil
          ? FileLayout.formatVersion : FileLayout.encryptedFormatVersion,
        identifier: try database.fileIdentifier(), sizeBytes: sizes.length,
        allocatedBytes: sizes.allocated),
      versions: .init(
        newest: snapshot.version.rawValue,
        oldestPinned: (pinned.min() ?? snapshot.version).rawValue,
        pinned: pinned.count, historyEntries: space.historyEntries),
      schemaVersion: schema.version,
      tables: tables,
      space: .init(
        dataBytes: space.dataBytes, historyBytes: space.historyBytes,
        bookkeepingBytes: space.bookkeepingBytes, retainedBytes: space.waitingBytes,
        freeBytes: space.freeBytes))
  }

  private func table(
    _ description: ClassDescription, _ space: TableSpace, objects: Int
  ) -> InspectReport.Table {
    InspectReport.Table(
      name: description.name, objects: objects,
      properties: description.properties.map { property in
        InspectReport.Property(
          name: property.name, type: typeName(property), isPrimaryKey: property.isPrimaryKey,
          isIndexed: property.isIndexed, bytes: space.columns[property.columnKey] ?? 0,
          indexBytes: space.indexes[property.columnKey] ?? 0)
      }, bytes: space.totalBytes)
  }

  /// As a model class would say it.
  private func typeName(_ property: PropertyDescription) -> String {
    let name =
      switch property.kind {
      case .int: "Int"
      case .bool: "Bool"
      case .string: "String"
      case .data: "Data"
      case .date: "Date"
      case .float: "Float"
      case .double: "Double"
      case .object: property.linkTarget ?? "Object"
      case .any: "AnyRealmValue"
      case .objectId: "ObjectId"
      case .decimal128: "Decimal128"
      case .uuid: "UUID"
      }
    let isMarked = property.isOptional && property.kind != .any
    let element = isMarked ? name + "?" : name
    switch property.collection {
    case .none: return element
    case .list: return "List<\(element)>"
    case .set: return "MutableSet<\(element)>"
    case .map: return "Map<String, \(element)>"
    }
  }
}
