import Storage

// Between the object store and storage: what a write transaction and a snapshot carry.
extension ObjectTransaction {
  /// Changes objects in `transaction`. End it through `commit`, or by cancelling `transaction`.
  public convenience init(
    _ transaction: WriteTransaction, schemas: SchemaCache, limits: TreeLimits = .standard
  ) throws(StorageError) {
    try self.init(
      writer: transaction.writer, root: transaction.root, schemas: schemas, limits: limits)
  }

  /// Commits what was changed with its history; writes nothing if nothing was.
  ///
  /// - Returns: the new version, pinned (the base version if nothing was changed).
  public func commit(
    _ transaction: WriteTransaction, durability: Durability? = nil
  ) throws(StorageError) -> Snapshot {
    precondition(transaction.writer === writer, "another transaction's changes")
    if generation == 0 { return try transaction.commit(durability: durability) }
    transaction.root = root
    return try transaction.commit(durability: durability, history: encodedHistory())
  }
}

extension Snapshot {
  /// The table with that key, or nil if this version has none.
  ///
  /// - Throws: `.readerTooOld` if `isExpired`, `.corrupt`.
  public func table(_ key: TableKey) throws(StorageError) -> Table? {
    try requireUnexpired()
    return try StoreRoot.table(key, root: root, in: source)
  }

  /// What the commits after `version` up to this one did, as one change. `version` must have been
  /// pinned all along.
  public func changes(after version: UInt64) throws(StorageError) -> ChangeSet {
    var result = ChangeSet()
    for entry in try historyEntries(after: version) {
      let changes = entry.bytes.withUnsafeBytes { ChangeSet($0) }
      guard let changes else {
        throw StorageError(
          .corrupt, path: source.path, "the history of version \(entry.to) cannot be read")
      }
      result.merge(changes)
    }
    try result.check(against: root, in: source)
    return result
  }

  /// Everything that is wrong in the object store of this version.
  public func storeFindings() -> [StoreFinding] {
    StoreCheck.findings(root: root, in: source)
  }
}
