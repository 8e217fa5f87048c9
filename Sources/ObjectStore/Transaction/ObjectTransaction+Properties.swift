import Storage

// Setting properties. Each names an object by key, and records the modification even if the value
// is what it was.
extension ObjectTransaction {
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
    generation &+= 1
  }

  /// Sets a property through the codec of its kind: what every typed setter does.
  @inline(__always)
  private func set<Codec: ColumnCodec>(
    _ value: Codec.Value, as _: Codec.Type, _ column: ColumnKey, _ object: ObjectKey,
    _ table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(table)
    let spec = settable(state, column)
    precondition(Codec.fits(spec.kind), "a value of another kind than its property")
    let row = try clusters.locate(state, object)
    if spec.indexSlot != 0 {
      if spec.isFullText {
        return try setSearched(value, as: Codec.self, column, object, state, row)
      }
      try indexes.reindex(state, spec, column, row, object, to: Codec.indexed(value))
    }
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try Codec.set(
      writer, old, row: row, value, isOptional: spec.isOptional,
      reserveRows: clusters.reserveRows(state, spec, old, row: row))
    finish(state, column, object, old, new)
  }

  /// The same for a string whose words are indexed.
  @inline(never)
  private func setSearched<Codec: ColumnCodec>(
    _ value: Codec.Value, as _: Codec.Type, _ column: ColumnKey, _ object: ObjectKey,
    _ state: State, _ row: Int
  ) throws(StorageError) {
    let spec = state.pointee.columns[column.slot]
    let words = try IndexValue.words(state.pointee.cluster, row, column, in: source)
    let old = state.pointee.leaf.node.reference(column.slot)
    let new = try Codec.set(
      writer, old, row: row, value, isOptional: spec.isOptional,
      reserveRows: clusters.reserveRows(state, spec, old, row: row))
    finish(state, column, object, old, new)
    try indexes.reindexWords(state, spec, column, row, object, from: words)
  }

  public func setInt(
    _ value: Int64, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try set(value, as: IntegerCodec.self, column, object, table)
  }

  public func setBool(
    _ value: Bool, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try set(value, as: BoolCodec.self, column, object, table)
  }

  public func setFloat(
    _ value: Float, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try set(value, as: FloatCodec.self, column, object, table)
  }

  /// Doubles and dates.
  public func setDouble(
    _ value: Double, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try set(value, as: DoubleCodec.self, column, object, table)
  }

  public func setObjectId(
    _ value: ObjectIdBytes, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try set(value, as: ObjectIdCodec.self, column, object, table)
  }

  public func setUUID(
    _ value: UUIDBytes, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try set(value, as: UUIDCodec.self, column, object, table)
  }

  public func setDecimal(
    _ value: DecimalBits, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try set(value, as: DecimalCodec.self, column, object, table)
  }

  public func setString(
    _ value: String, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    var value = value
    let result = value.withUTF8 { utf8 -> StorageError? in
      do throws(StorageError) {
        try unsafe setBytes(UnsafeRawBufferPointer(utf8), column, of: object, in: table)
        return nil
      } catch { return error }
    }
    if let result { throw result }
  }

  /// The UTF-8 of strings, and data. `value` must not lie in a node of this transaction.
  public func setBytes(
    _ value: UnsafeRawBufferPointer, _ column: ColumnKey, of object: ObjectKey,
    in table: TableKey
  ) throws(StorageError) {
    try unsafe set(value, as: BytesCodec.self, column, object, table)
  }

  /// Sets a property that is optional, or a link, to null.
  public func setNull(
    _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    try set(.null, column, of: object, in: table)
  }

  /// Sets a property that is no list, whatever its kind.
  public func set(
    _ value: StoredValue, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(table)
    let spec = settable(state, column)
    if spec.kind == .object {
      switch value {
      case .null: return try setLink(nil, column, of: object, in: table)
      case .link(spec.other, let target):
        return try setLink(target, column, of: object, in: table)
      default: preconditionFailure("a value of another kind than its property: \(value)")
      }
    }
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
      reserveRows: clusters.reserveRows(state, spec, old, row: row))
    finish(state, column, object, old, new)
    if spec.isFullText { try indexes.reindexWords(state, spec, column, row, object, from: words) }
    if spec.kind == .any { try deleteOrphans() }
  }

  /// Sets a link; nil for none. The target must exist, and be the present one if it is embedded.
  public func setLink(
    _ target: ObjectKey?, _ column: ColumnKey, of object: ObjectKey, in table: TableKey
  ) throws(StorageError) {
    let state = try tables.open(table)
    let spec = settable(state, column)
    precondition(spec.kind == .object, "a link for a property of another kind")
    if spec.owns, let target {
      let isPresent = try link(state, column, object) == target
      precondition(isPresent, "an embedded object is made through its owner")
    }
    try replaceLink(state, spec, column, object, target)
    try deleteOrphans()
  }

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
  private func link(
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
      reserveRows: clusters.reserveRows(state, spec, old, row: row))
    finish(state, column, object, old, new, isCut: isCut)
  }
}
