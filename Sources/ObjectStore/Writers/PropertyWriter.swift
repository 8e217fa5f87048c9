import Storage

/// Changes the properties of objects. Indexes follow each change, and the table's history notes it,
/// even if the value is what it was. Backlinks follow `replaceLink` and values of any kind.
///
/// It holds nothing but the tables, so it is made wherever it is needed.
struct PropertyWriter {
  typealias State = OpenTables.State

  let tables: OpenTables

  private var writer: NodeWriter { tables.writer }
  private var source: NodeSource { tables.source }
  private var clusters: ClusterWriter { ClusterWriter(tables: tables) }
  private var indexes: IndexWriter { IndexWriter(tables: tables) }
  private var links: LinkWriter { LinkWriter(tables: tables) }

  /// The column, which holds a single value that may be set.
  @inline(__always)
  func settable(_ state: State, _ column: ColumnKey) -> ColumnSpec {
    precondition(column.slot < state.pointee.columns.count, "no such column")
    let spec = state.pointee.columns[column.slot]
    precondition(
      !spec.isList && !spec.isBacklink && !spec.isPrimaryKey, "that column cannot be set")
    return spec
  }

  /// Notes that `column` of the cluster at hand has become `new`, and that it was modified.
  ///
  /// - Parameter isCut: it has become null because the object that it led to is about to go.
  @inline(__always)
  func finish(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey, _ old: NodeReference,
    _ new: NodeReference, isCut: Bool = false
  ) {
    if new != old { state.pointee.leaf.setReference(column.slot, new) }
    if isCut {
      state.pointee.history.linkCut(object.rawValue, column.rawValue)
    } else {
      state.pointee.history.modified(object.rawValue, column.rawValue)
    }
    tables.generation &+= 1
  }

  /// Sets a property through the codec of its kind: what every typed setter does.
  @inline(__always)
  func set<Codec: ColumnCodec>(
    _ value: Codec.Value, as _: Codec.Type, _ column: ColumnKey, _ object: ObjectKey,
    _ table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(table)
    let spec = settable(state, column)
    precondition(Codec.fits(spec.kind), "a value of another kind than its property")
    let row = try clusters.locate(state, object)
    if spec.indexSlot != 0 {
      return try setIndexed(value, as: Codec.self, column, object, state, row)
    }
    try store(
      value, as: Codec.self, spec.kind, isOptional: spec.isOptional, column, object, state, row)
  }

  /// The same for a property with an index. Apart, and with a look of its own at the column, so
  /// that what the others need is little enough to stay in registers.
  @inline(never)
  private func setIndexed<Codec: ColumnCodec>(
    _ value: Codec.Value, as _: Codec.Type, _ column: ColumnKey, _ object: ObjectKey,
    _ state: State, _ row: Int
  ) throws(StorageError) {
    let spec = state.pointee.columns[column.slot]
    var words: [Int64] = []
    if spec.isFullText {
      words = try IndexValue.words(state.pointee.cluster, row, column, in: source)
    } else {
      try indexes.reindex(state, spec, column, row, object, to: Codec.indexed(value))
    }
    try store(
      value, as: Codec.self, spec.kind, isOptional: spec.isOptional, column, object, state, row)
    if spec.isFullText { try indexes.reindexWords(state, spec, column, row, object, from: words) }
  }

  @inline(__always)
  private func store<Codec: ColumnCodec>(
    _ value: Codec.Value, as _: Codec.Type, _ kind: ValueKind, isOptional: Bool,
    _ column: ColumnKey, _ object: ObjectKey, _ state: State, _ row: Int
  ) throws(StorageError) {
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try Codec.set(
      writer, old, row: row, value, isOptional: isOptional,
      reserveRows: clusters.reserveRows(state, kind, old, row: row))
    finish(state, column, object, old, new)
  }

  /// Sets a property that is neither link nor list, whatever its kind. `spec` is what `settable`
  /// gave. A value of any kind may leave an orphan, which the caller deletes.
  func set(
    _ value: StoredValue, _ state: State, _ spec: ColumnSpec, _ column: ColumnKey,
    _ object: ObjectKey
  ) throws(StorageError) {
    if spec.kind == .any { try links.replaceAnyLink(state, column, object, by: value) }
    let row = try clusters.locate(state, object)
    var words: [Int64] = []
    if spec.isFullText {
      words = try IndexValue.words(state.pointee.cluster, row, column, in: source)
    } else if spec.indexSlot != 0 {
      try indexes.reindex(state, spec, column, row, object, to: IndexValue.of(value, in: spec.kind))
    }
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try VectorWriter.set(
      writer, old, row: row, value, kind: spec.kind, isOptional: spec.isOptional,
      reserveRows: clusters.reserveRows(state, spec.kind, old, row: row))
    finish(state, column, object, old, new)
    if spec.isFullText { try indexes.reindexWords(state, spec, column, row, object, from: words) }
  }

  // MARK: Links

  /// Sets a link and moves the backlink; an embedded object that was linked to becomes an orphan.
  func replaceLink(
    _ state: State, _ spec: ColumnSpec, _ column: ColumnKey, _ object: ObjectKey,
    _ target: ObjectKey?
  ) throws(StorageError) {
    let old = try link(state, column, object)
    if old != target {
      if let old { try links.endLink(spec, to: old, from: object) }
      if let target { try links.addBacklink(spec.other, spec.otherColumn, target, from: object) }
    }
    try storeLink(state, column, object, target)
  }

  /// The link as it is.
  func link(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey
  ) throws(StorageError) -> ObjectKey? {
    let row = try clusters.locate(state, object)
    let reference = state.pointee.leaf.node.reference(column.slot)
    if reference.isNone { return nil }
    let node = try source.node(reference, .integerVector)
    if row >= node.count { return nil }
    return unsafe LinkCodec.load(VectorMath.elements(node), width: node.width, row)
  }

  /// Changes the link alone, not the backlinks.
  func storeLink(
    _ state: State, _ column: ColumnKey, _ object: ObjectKey, _ target: ObjectKey?,
    isCut: Bool = false
  ) throws(StorageError) {
    let row = try clusters.locate(state, object)
    let spec = state.pointee.columns[column.slot]
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try LinkCodec.set(
      writer, old, row: row, target, isOptional: false,
      reserveRows: clusters.reserveRows(state, spec.kind, old, row: row))
    finish(state, column, object, old, new, isCut: isCut)
  }
}
