import Storage

// The object store in a version.
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
