import Storage

/// What a table's bytes in the file go to.
public struct TableSpace: Sendable {
  public var table: TableKey
  /// Values by column, lists and large values included; hidden columns of backlinks too.
  public var columns: [ColumnKey: UInt64] = [:]
  /// Indexes by the column they are of.
  public var indexes: [ColumnKey: UInt64] = [:]
  /// Keys of the objects, the tree, the table node.
  public var treeBytes: UInt64 = 0

  public var totalBytes: UInt64 {
    treeBytes + columns.values.reduce(0, +) + indexes.values.reduce(0, +)
  }
}

/// What the object store's bytes in one version go to. Reads every node that the version reaches.
public struct StoreSpace: Sendable {
  public private(set) var tables: [TableSpace] = []
  /// The schema and the root.
  public private(set) var schemaBytes: UInt64 = 0

  /// - Parameter root: the object store's root; none for an empty file.
  public init(root: NodeReference, in source: NodeSource) throws(StorageError) {
    if root.isNone { return }
    var size = TreeSize(in: source)
    let schema = try StoreRoot.schema(root, in: source)
    schemaBytes = UInt64(source.footprint(of: try StoreRoot.node(root, in: source)))
    schemaBytes += try size.bytes(below: try StoreRoot.schemaReference(root, in: source))
    for description in schema.classes {
      guard let table = try StoreRoot.table(description.tableKey, root: root, in: source)
      else { continue }
      tables.append(try StoreSpace.space(of: table, description, &size))
    }
  }

  private static func space(
    of table: Table, _ description: ClassDescription, _ size: inout TreeSize
  ) throws(StorageError) -> TableSpace {
    var space = TableSpace(table: table.key)
    let node = try table.source.node(table.root)
    space.treeBytes += UInt64(table.source.footprint(of: node))
    for property in description.properties where property.indexSlot != 0 {
      let index = try table.indexRoot(property.indexSlot)
      space.indexes[property.columnKey] = try size.bytes(below: index)
    }
    try add(clusters: table.clusterRoot, in: table.source, to: &space, &size, depth: 0)
    return space
  }

  private static func add(
    clusters reference: NodeReference, in source: NodeSource, to space: inout TableSpace,
    _ size: inout TreeSize, depth: Int
  ) throws(StorageError) {
    if reference.isNone { return }
    let node = try source.node(reference)
    space.treeBytes += try size.bytes(of: node, reference, depth: depth)
    for index in 0..<node.referenceCount {
      let child = node.reference(index)
      if node.kind == .clusterInner {
        try add(clusters: child, in: source, to: &space, &size, depth: depth + 1)
      } else {
        let column = ColumnKey(rawValue: UInt32(index))
        space.columns[column, default: 0] += try size.bytes(below: child)
      }
    }
  }
}
