import ObjectStore
import Storage

// A schema that changes while a realm is open: another program may add classes and properties, and
// a newer one may migrate the file.

/// Whether a realm can go on with another schema.
struct SchemaCompatibility {
  /// What the realm has been reading.
  let schema: StoredSchema
  /// The program's.
  let classes: [ClassInfo]
  let path: String

  /// - Throws: `.schemaMismatch` if the newer one has no place any more for what the program's
  ///   classes have.
  func check(_ newer: SchemaDescription) throws(StorageError) {
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
      .schemaMismatch, path: path,
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
