import Platform
import Storage
import Synchronization

/// What the write side needs to know of a column, in a form that costs nothing to read.
struct ColumnSpec {
  var kind: ValueKind = .int
  var isOptional = false
  /// A list, or what is kept as one: a set, the values of a map, and their keys.
  var isList = false
  var isSet = false
  var isMap = false
  var isPrimaryKey = false
  /// A link, or links, to embedded objects, which go when the link does.
  var owns = false
  /// A hidden column of backlinks rather than a property.
  var isBacklink = false
  /// Reference of the table node that holds the column's index; 0 without one.
  var indexSlot = 0
  /// Whether that is an index of words.
  var isFullText = false
  /// Links: the table they go to. Backlinks: the table they come from.
  var other = TableKey.unassigned
  /// Links: the hidden column over there. Backlinks: the column they come from.
  var otherColumn = ColumnKey.unassigned
}

/// A table's columns by key, hidden ones included. Immutable.
final class TableLayout: Sendable {
  /// In memory of its own, so that the write side reads a column without counting references.
  @safe nonisolated(unsafe) let columns: FixedMemory<ColumnSpec>  // never changed
  let primaryKey: ColumnKey?
  let isEmbedded: Bool
  /// Whether the objects are collections among values of any kind.
  let isNested: Bool
  /// Whether programs do not see the objects as such.
  let isHidden: Bool
  /// Whether any column refers to other objects or to lists, or is referred to.
  let hasRelations: Bool
  let indexCount: Int

  init(_ description: ClassDescription, in schema: SchemaDescription) {
    var columns = [ColumnSpec](repeating: ColumnSpec(), count: Int(description.columnCount))
    for property in description.properties {
      var spec = ColumnSpec()
      spec.kind = property.kind
      spec.isOptional = property.isOptional
      spec.isList = property.isCollection
      spec.isSet = property.collection == .set
      spec.isMap = property.collection == .map
      spec.isPrimaryKey = property.isPrimaryKey
      spec.indexSlot = Int(property.indexSlot)
      spec.isFullText = property.isFullText
      spec.other = property.targetTable
      if let target = schema.description(of: property.targetTable) {
        spec.owns = target.isEmbedded
        spec.otherColumn =
          target.backlinkColumn(from: description.tableKey, property.columnKey) ?? .unassigned
      }
      columns[property.columnKey.slot] = spec
      if spec.isMap {
        var keys = ColumnSpec()
        keys.kind = .string
        keys.isList = true
        columns[property.keyColumn.slot] = keys
      }
    }
    for backlink in description.backlinks {
      var spec = ColumnSpec()
      spec.isBacklink = true
      spec.other = backlink.originTable
      spec.otherColumn = backlink.originColumn
      columns[backlink.columnKey.slot] = spec
    }
    self.columns = FixedMemory(columns)
    primaryKey = description.primaryKey?.columnKey
    isEmbedded = description.isEmbedded
    isNested = description.isNestedCollection
    isHidden = description.isHidden
    hasRelations = columns.contains {
      $0.isBacklink || $0.isList || $0.kind == .object || $0.kind == .any
    }
    indexCount = columns.count { $0.indexSlot != 0 }
  }

  deinit { columns.deallocate() }
}

/// A schema as it is in a version, decoded, with the layouts that follow from it. Immutable.
public final class StoredSchema: Sendable {
  public let description: SchemaDescription
  let layouts: [TableLayout]
  /// The tables of collections among values of any kind; most files have none.
  let nestedTables: [TableKey]
  /// Classes that a reader wants and the file does not have.
  private let unstored: Set<String>
  /// Whether the file is synchronised: who commits to it notes what changed, for the server.
  public let isSynced: Bool

  init(_ description: SchemaDescription, unstored: Set<String> = []) {
    self.description = description
    self.unstored = unstored
    layouts = description.classes.map { TableLayout($0, in: description) }
    nestedTables = description.classes.filter(\.isNestedCollection).map(\.tableKey)
    isSynced = description.description(of: SyncClass.file.className) != nil
  }

  /// With further classes, which are not stored: they have no objects, and nothing can be made of
  /// them. Links may lead from them to classes that are.
  public func extended(with classes: SchemaDescription) -> StoredSchema {
    StoredSchema(
      SchemaChange(description, adding: classes.classes).result,
      unstored: Set(classes.classes.map(\.name)))
  }

  /// Whether the file has the class, where it is known at all.
  public func isStored(_ className: String) -> Bool { !unstored.contains(className) }
}

/// Remembers the last decoded schema of a file, since it hardly ever changes. One per file.
public final class SchemaCache: Sendable {
  private struct Entry {
    var reference: NodeReference
    var createdIn: Version
    var schema: StoredSchema
  }
  private let entry = LockedValue<Entry?>(nil)

  public init() {}

  /// The schema of the version that `root` (the object store's root) belongs to.
  public func schema(
    _ root: NodeReference, in source: NodeSource
  ) throws(StorageError) -> StoredSchema {
    let reference = try StoreRoot.schemaReference(root, in: source)
    if reference.isNone { return StoredSchema(SchemaDescription(classes: [])) }
    let createdIn = try source.node(reference).createdIn
    let known = entry.withLock { entry -> StoredSchema? in
      guard let entry, entry.reference == reference, entry.createdIn == createdIn else {
        return nil
      }
      return entry.schema
    }
    if let known { return known }
    let schema = StoredSchema(try SchemaCodec.decode(reference, in: source))
    if !reference.isUncommitted {
      entry.withLock { $0 = Entry(reference: reference, createdIn: createdIn, schema: schema) }
    }
    return schema
  }
}
