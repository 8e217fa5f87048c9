import Storage

/// The object store's root node: reference 0 is the schema, reference 1 + table key a table.
///
/// A file that nothing has been stored in has no root.
public enum StoreRoot {
  /// The node with the schema of the version that `root` belongs to; none in an empty store.
  public static func schemaReference(
    _ root: NodeReference, in source: NodeSource
  ) throws(StorageError) -> NodeReference {
    if root.isNone { return .none }
    return try node(root, in: source).reference(0)
  }

  /// The schema, decoded anew. `SchemaCache` spares that.
  public static func schema(
    _ root: NodeReference, in source: NodeSource
  ) throws(StorageError) -> SchemaDescription {
    let reference = try schemaReference(root, in: source)
    if reference.isNone { return SchemaDescription(classes: []) }
    return try SchemaCodec.decode(reference, in: source)
  }

  /// The table with that key, or nil if that version has none.
  public static func table(
    _ key: TableKey, root: NodeReference, in source: NodeSource
  ) throws(StorageError) -> Table? {
    if root.isNone { return nil }
    let node = try node(root, in: source)
    let index = Int(key.rawValue) + 1
    guard index < node.referenceCount else { return nil }
    return try Table(key: key, root: node.reference(index), in: source)
  }

  @usableFromInline
  static func node(
    _ root: NodeReference, in source: NodeSource
  ) throws(StorageError) -> Node {
    try source.node(root, .storeRoot)
  }
}
