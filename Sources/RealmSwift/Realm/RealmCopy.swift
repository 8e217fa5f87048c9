import Storage

extension _RealmInstance {
  /// Writes the version that the realm is at to a new file, node by node: with the changes so far
  /// of a write transaction that is open, without free space and history.
  func writeCopy(to path: String, key: EncryptionKey?) throws(StorageError) {
    if let writing {
      try writing.objects.writeCopy(to: path, key: key)
    } else if let snapshot {
      _ = try shared.database.writeCompactCopy(
        of: snapshot.root, in: snapshot.source, to: path, key: key)
    }
  }
}
