import Storage

/// One version of a file as queries see it: its nodes, the object store's root, and the schema.
///
/// A plain value: it is valid while the snapshot (or, until its next change, the write
/// transaction) that it was made from is, and may be used on any thread meanwhile.
public struct StoreView: Sendable {
  public let source: NodeSource
  public let root: NodeReference
  public let schema: SchemaDescription

  public init(source: NodeSource, root: NodeReference, schema: SchemaDescription) {
    self.source = source
    self.root = root
    self.schema = schema
  }

  /// The table with that key, or nil if this version has none.
  public func table(_ key: TableKey) throws(StorageError) -> Table? {
    try StoreRoot.table(key, root: root, in: source)
  }
}
