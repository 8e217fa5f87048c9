import Storage

/// The tables that a transaction changes: the store's root and its schema as they are now, of each
/// table that was opened what is known of its changeable nodes, and what of a change is still to be
/// done or told. A new schema is stored here, too.
///
/// All types that change a store share this; a transaction has one. Confined like the transaction.
///
/// Invariants: there is a place for a state for each table of the schema. A state never moves, and
/// lasts as long as this. Its table's node is the one that the root refers to, and both are
/// changeable.
final class OpenTables {
  // Access to the stored properties is not checked for exclusivity at run time: a transaction is
  // confined, and no access to one of them spans a call that could begin another. That makes them
  // safe.

  typealias State = FixedCell<TableState>

  // What every change needs stands first.
  let writer: NodeWriter
  /// One per table of the schema, made when the table is first changed.
  @safe @exclusivity(unchecked) private var states: FixedMemory<State?>
  /// Raised by every change of what the store holds.
  @safe @exclusivity(unchecked) var generation: UInt64 = 0
  /// The object store's root.
  @safe @exclusivity(unchecked) private(set) var root: NodeReference
  @safe @exclusivity(unchecked) private(set) var schema: StoredSchema
  /// Whether the history tells of the schema: not of hidden columns, which are made when they are
  /// needed.
  @safe @exclusivity(unchecked) var schemaChanged = false
  /// What has lost its link, to be deleted before the present operation ends, unless orphans are
  /// kept for a while.
  @safe @exclusivity(unchecked) var orphans: [Orphan] = []
  let limits: TreeLimits

  /// - Parameter root: the object store's root in the version that the transaction builds on.
  init(writer: NodeWriter, root: NodeReference, schema: StoredSchema, limits: TreeLimits) {
    self.writer = writer
    self.root = root
    self.schema = schema
    self.limits = limits
    states = FixedMemory(repeating: nil, count: schema.layouts.count)
  }

  deinit {
    for index in 0..<tableCount {
      guard let state = states[index] else { continue }
      state.pointee.deallocate()
      state.deallocate()
    }
    states.deallocate()
  }

  /// How many tables there are, open or not.
  var tableCount: Int { states.count }

  /// Reads committed nodes and those of this transaction.
  var source: NodeSource { writer.source }

  /// The table as it is now; good until the next change.
  func table(_ key: TableKey) throws(StorageError) -> Table {
    guard let table = try StoreRoot.table(key, root: root, in: source) else {
      throw source.corrupt(root, "a table \(key.rawValue) was expected")
    }
    return table
  }

  // MARK: States

  /// The state of a table, whose node is made changeable.
  @inline(__always)
  func open(_ table: TableKey) throws(StorageError) -> State {
    let index = Int(table.rawValue)
    precondition(index < tableCount, "no table \(table.rawValue)")
    if let state = states[index] { return state }
    return try openTable(index)
  }

  /// The state of a table that the transaction has changed; nil of others.
  @inline(__always)
  func stateIfOpen(_ index: Int) -> State? { states[index] }

  private func openTable(_ index: Int) throws(StorageError) -> State {
    _ = try source.node(root, .storeRoot)
    let rootNode = try writer.mutable(root)
    root = rootNode.reference
    guard 1 + index < rootNode.node.referenceCount else {
      throw source.corrupt(root, "a table \(index) was expected")
    }
    _ = try source.node(rootNode.node.reference(1 + index), .table)
    let node = try writer.mutable(rootNode.node.reference(1 + index))
    rootNode.setReference(1 + index, node.reference)
    let state = State(
      TableState(
        key: TableKey(rawValue: UInt32(index)), node: node,
        columns: schema.layouts[index].columns))
    states[index] = state
    return state
  }

  // MARK: Schema

  /// Writes the schema, makes tables for new classes, and room for new indexes. Who calls it notes
  /// the change. No table has a cluster at hand afterwards.
  func storeSchema(_ description: SchemaDescription) throws(StorageError) {
    // What could not be read again must not be written. Before anything is changed.
    guard SchemaCodec.fits(description) else {
      throw StorageError(
        .schemaMismatch, path: source.path,
        "the classes have more than \(SchemaCodec.columnsMax) properties, with those that were"
          + " removed; use fewer, or write a compact copy into a new file")
    }
    let rootNode = try mutableRoot(tables: description.classes.count)
    let bytes = SchemaCodec.encode(description)
    let node = try writer.remake(
      rootNode.node.reference(0), kind: .schema, count: bytes.count, dataSize: bytes.count)
    unsafe bytes.withUnsafeBytes {
      unsafe node.data.copyMemory(from: $0.baseAddress!, byteCount: $0.count)
    }
    node.setDataSize(bytes.count)
    rootNode.setReference(0, node.reference)
    for (index, table) in description.classes.enumerated() {
      let places = 1 + Int(table.indexSlotCount)
      let old = rootNode.node.reference(1 + index)
      if old.isNone {
        let new = writer.make(
          kind: .table, referenceCount: places, dataSize: TableNode.dataSize)
        rootNode.setReference(1 + index, new.reference)
        continue
      }
      let missing = places - (try source.node(old).referenceCount)
      if missing <= 0 { continue }
      let grown = try writer.mutable(old, growing: missing * 8)
      writer.setReferenceCount(grown, places)
      rootNode.setReference(1 + index, grown.reference)
    }
    try adopt(description)
  }

  /// The root, changeable, with a reference per table. It is made if the store is empty.
  private func mutableRoot(tables: Int) throws(StorageError) -> MutableNode {
    let node: MutableNode
    if root.isNone {
      node = writer.make(kind: .storeRoot, referenceCount: 1 + tables, count: tables)
    } else {
      let missing = 1 + tables - (try source.node(root).referenceCount)
      node = try writer.mutable(root, growing: max(0, missing) * 8)
      if missing > 0 { writer.setReferenceCount(node, 1 + tables) }
      node.setCount(tables)
    }
    root = node.reference
    return node
  }

  /// Takes over a schema that has been stored, with as many tables or more.
  private func adopt(_ description: SchemaDescription) throws(StorageError) {
    let known = tableCount
    schema = StoredSchema(description)
    let grown = FixedMemory<State?>(repeating: nil, count: schema.layouts.count)
    for index in 0..<known { grown[index] = states[index] }
    states.deallocate()
    states = grown
    // Before anything can throw: the columns are those of the schema that has just gone.
    for index in 0..<known {
      guard let state = states[index] else { continue }
      state.pointee.columns = schema.layouts[index].columns
      state.pointee.hasLeaf = false  // it may lack references for new columns
    }
    let rootNode = try source.node(root)
    for index in 0..<known {
      guard let state = states[index] else { continue }
      state.pointee.node = try writer.mutable(rootNode.reference(1 + index))
    }
  }
}
