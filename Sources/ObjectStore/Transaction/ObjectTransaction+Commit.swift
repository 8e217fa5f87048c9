import Storage

// Between the object store and storage: what a write transaction and a snapshot carry.
extension ObjectTransaction {
  private var owned: WriteTransaction {
    guard let transaction else { preconditionFailure("no storage transaction is behind this") }
    return transaction
  }

  /// The version that this one is built on.
  public var baseVersion: Version { owned.baseVersion }

  /// Commits what was changed with its history, and ends the transaction, also when it throws;
  /// writes nothing if nothing was changed.
  ///
  /// - Parameters:
  ///   - durability: instead of the database's own.
  ///   - author: a listener of this process that need not be called for the commit.
  /// - Returns: the new version, pinned (the base version if nothing was changed).
  /// - Throws: as `WriteTransaction.commit` does.
  public func commit(
    durability: Durability? = nil, author: CommitListener? = nil
  ) throws(StorageError) -> Snapshot {
    let transaction = owned
    transaction.author = author
    do throws(StorageError) {
      try finishFilling()
      try NestedOwners(transaction: self).noteChanges()
      if schema.isSynced { try recordChanges() }
    } catch {
      transaction.cancel()
      throw error
    }
    return try transaction.commit(durability: durability, history: handOver())
  }

  /// Gives the storage transaction the root; returns the history to commit it with. For those who
  /// test the storage transaction's own commit; all others call `commit`.
  package func handOver() -> [UInt8] {
    if generation == 0 { return [] }
    owned.root = tables.root
    return history.encoded()
  }

  private func recordChanges() throws(StorageError) {
    guard let recorder else {
      throw StorageError(
        .invalidInput, path: source.path,
        "the file is synchronised: it can only be written to as a realm")
    }
    try recorder.willCommit(self)
  }

  /// Forgets everything. Does nothing on a transaction that has ended.
  public func cancel() { transaction?.cancel() }

  /// Writes the store as it is now to a new file, without free space and history.
  public func writeCopy(to path: String, key: EncryptionKey? = nil) throws(StorageError) {
    _ = try owned.database.writeCompactCopy(of: tables.root, in: source, to: path, key: key)
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
  public func changes(after version: Version) throws(StorageError) -> ChangeSet {
    let result = try mergedChanges(after: version)
    try result.check(against: root, in: source)
    return result
  }

  /// The same after a version that is at hand, which tells more about what can be true.
  public func changes(after older: Snapshot) throws(StorageError) -> ChangeSet {
    let result = try mergedChanges(after: older.version)
    try result.check(against: root, in: source, from: (older.root, older.source))
    return result
  }

  private func mergedChanges(after version: Version) throws(StorageError) -> ChangeSet {
    var result = ChangeSet()
    for entry in try historyEntries(after: version) {
      let changes = unsafe entry.bytes.withUnsafeBytes { unsafe ChangeSet($0) }
      guard let changes else {
        throw StorageError(
          .corrupt, path: source.path, "the history of version \(entry.to) cannot be read")
      }
      result.merge(changes)
    }
    return result
  }

  /// Everything that is wrong in the object store of this version.
  public func storeFindings() -> [StoreFinding] {
    do throws(StorageError) {
      return try readingThrough { StoreCheck.findings(root: root, in: $0) }
    } catch {
      return [StoreFinding(table: "schema", message: error.description)]
    }
  }

  /// What the bytes of the object store of this version go to.
  public func storeSpace() throws(StorageError) -> StoreSpace {
    try readingThrough { (source) throws(StorageError) in
      try StoreSpace(root: root, in: source)
    }
  }
}
