import ObjectStore
import Storage

// A schema that changes while a realm is open: another program may add classes and properties, and
// a newer one may migrate the file.

extension _RealmInstance {
  /// The schema of a version that the realm is about to move to.
  ///
  /// - Throws: `.schemaMismatch` if it has no place any more for what the program's classes have.
  func compatibleSchema(of newer: Snapshot) throws(StorageError) -> StoredSchema {
    let stored = try shared.schemas.schema(newer.root, in: newer.source)
    if stored === schema { return stored }
    if configuration.readOnly {
      let extended = stored.adding(classes)
      try checkCompatible(extended.description)
      return extended
    }
    try checkCompatible(stored.description)
    return stored
  }

  /// Whether the version's schema still has what the program's classes have.
  func canMove(to newer: Snapshot) -> Bool {
    engine { () throws(StorageError) in
      do throws(StorageError) { _ = try compatibleSchema(of: newer) } catch {
        if error.code == .schemaMismatch { return false }
        throw error
      }
      return true
    }
  }

  private func checkCompatible(_ newer: SchemaDescription) throws(StorageError) {
    var changes: [String] = []
    for info in classes {
      guard let before = schema.description.description(of: info.name) else { continue }
      guard let after = newer.description(of: info.name) else {
        changes.append("Class '\(info.name)' has been removed.")
        continue
      }
      let known = before.limited(to: info)
      let differences = SchemaDescription(classes: [known]).differences(
        to: SchemaDescription(classes: [after]))
      changes += differences.filter(\.preventsGoingOn).map(\.sentence)
      // A class that the file lacked has no objects, and collections of it follow it.
      if changes.isEmpty, schema.isStored(info.name), !known.hasSamePlaces(in: after) {
        changes.append("Class '\(info.name)' has been replaced.")
      }
    }
    if changes.isEmpty { return }
    throw StorageError(
      .schemaMismatch, path: shared.path,
      changes.reduce(
        """
        Unsupported schema changes were made by another client or process. Close the file and open \
        it with the newer schema.
        """
      ) { "\($0)\n- \($1)" })
  }
}

extension ClassDescription {
  /// The class with the properties that the program knows.
  fileprivate func limited(to info: ClassInfo) -> ClassDescription {
    var limited = self
    limited.properties = properties.filter { property in
      info.properties.contains { $0.columnName == property.name }
    }
    return limited
  }

  /// Whether table and columns are the same.
  fileprivate func hasSamePlaces(in other: ClassDescription) -> Bool {
    tableKey == other.tableKey
      && properties.allSatisfy {
        other.property(named: $0.name)?.columnKey == $0.columnKey
      }
  }
}

extension StoredSchema {
  /// With the classes of a program that only reads and that the file does not have: they are
  /// empty. Itself if there are none.
  func adding(_ classes: [ClassInfo]) -> StoredSchema {
    let missing = classes.filter { description.description(of: $0.name) == nil }
    if missing.isEmpty { return self }
    return extended(with: RealmSchema.description(of: missing, version: description.version))
  }
}
