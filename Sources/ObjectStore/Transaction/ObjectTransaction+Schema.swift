import Storage

// The schema: `SchemaEditor` and `SchemaMigration` change it.
extension ObjectTransaction {
  /// Makes the file's schema hold everything that is wanted: new classes, new properties (null,
  /// zero or empty in existing objects), more or fewer indexes. What the file has beyond that
  /// stays, unused.
  ///
  /// A new date that is required is the beginning of 1970 in existing objects. Where objects are
  /// synchronised it is that of 2001, as in those which programs make that do not know the
  /// property: what nobody has written has to be the same on all devices.
  ///
  /// - Parameters:
  ///   - wanted: what the schema has to have.
  ///   - areSynced: whether the objects are those of many devices; those of a synced file are.
  /// - Returns: whether anything had to be changed.
  /// - Throws: `.schemaMismatch` naming every difference that needs a migration, or what is wrong
  ///   with the wanted schema; nothing has been changed then.
  @discardableResult
  public func apply(
    _ wanted: SchemaDescription, areSynced: Bool = false
  ) throws(StorageError) -> Bool {
    try SchemaEditor(transaction: self).apply(wanted, areSynced: areSynced || schema.isSynced)
  }

  /// Makes all classes, properties and indexes that are wanted. Properties whose type has changed
  /// begin with what of their values the new type can hold; those that are not wanted stay.
  ///
  /// - Throws: `.schemaMismatch` if the wanted schema itself is not valid.
  public func beginMigration(to wanted: SchemaDescription) throws(StorageError) {
    try SchemaMigration(transaction: self).begin(to: wanted)
  }

  /// Gives a property that is not wanted any more the name, and its values the place, of one that
  /// is; both must be of the same type, but may differ in whether they are optional and in their
  /// indexes, of which `finishMigration` makes those that are wanted.
  public func renameProperty(
    _ old: String, to new: String, in table: TableKey
  ) throws(StorageError) {
    try SchemaMigration(transaction: self).renameProperty(old, to: new, in: table)
  }

  /// Takes away the properties of wanted classes that are not wanted, and the classes that are
  /// named, and gives the others their primary keys.
  ///
  /// - Throws: `.duplicatePrimaryKey` if objects of a class have the same primary key,
  ///   `.invalidInput` if an object cannot become embedded.
  public func finishMigration(
    to wanted: SchemaDescription, removing removed: Set<String> = []
  ) throws(StorageError) {
    try SchemaMigration(transaction: self).finish(to: wanted, removing: removed)
  }

  /// Takes a class away with its objects. One that properties still link to stays, empty.
  package func removeClass(_ name: String) throws(StorageError) {
    try SchemaEditor(transaction: self).removeClass(name)
  }

  /// Takes away everything that the file holds.
  public func reset() throws(StorageError) {
    try SchemaEditor(transaction: self).reset()
  }
}
