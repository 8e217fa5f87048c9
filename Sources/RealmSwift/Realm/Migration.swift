import ObjectStore
import Storage

/// Called for each object of a class with what it was in the old schema and what it is in the new
/// one.
public typealias MigrationObjectEnumerateBlock =
  (_ oldObject: MigrationObject?, _ newObject: MigrationObject?) -> Void

/// A change from the schema that a file has to the one that the program wants.
///
/// When the block of a migration is called, the file has everything that the new schema wants. A
/// property keeps its values where its type is the same, where only `?` came or went (nil becomes
/// the type's default), and where every value has a place in the new type (an `Int` in a `Double`,
/// anything in an `AnyRealmValue`). Others begin with their type's default. Properties that the new
/// schema does not have go when the block is done; old objects have them until then.
///
/// Primary keys are ordinary properties within the block; that they are unique is checked after it.
public final class Migration {
  /// The schema of the file.
  public let oldSchema: Schema
  /// The schema of the program.
  public let newSchema: Schema
  /// Classes that are to go when the block is done.
  private(set) var removedClasses: Set<String> = []

  private let old: _RealmInstance
  private let new: _RealmInstance
  private let progress: (@Sendable (Realm.MigrationProgress) -> Void)?

  /// - Parameters:
  ///   - old: At the version that is migrated.
  ///   - new: In the write transaction of the migration.
  init(from old: _RealmInstance, to new: _RealmInstance) {
    self.old = old
    self.new = new
    oldSchema = Schema(old.schema.description)
    newSchema = Schema(new.classes.map(\.objectSchema))
    progress = new.configuration.migrationProgressHandler
  }

  /// Calls the block with each object of the class, as it was and as it is; changes are made to the
  /// new one. The old one is nil if the class is new, the new one if it is no longer in the schema.
  /// Objects that the migration has deleted are passed over, and so are those that it has made.
  public func enumerateObjects(ofType typeName: String, _ block: MigrationObjectEnumerateBlock) {
    let target = newBinding(typeName)
    if let origin = old.dynamicClasses.binding(named: typeName) {
      return enumerate(origin, target, block)
    }
    guard let target else { return }
    for key in engine({ () throws(StorageError) in try new.table(of: target).allKeys() }) {
      if let object = newObject(target, key) { block(nil, object) }
    }
  }

  private func enumerate(
    _ origin: TableBinding, _ target: TableBinding?, _ block: MigrationObjectEnumerateBlock
  ) {
    let table = old.table(of: origin)
    var meter = ProgressMeter(origin.info.name, total: table.count, progress)
    var clusters = table.clusters()
    while let cluster = engine({ () throws(StorageError) in try clusters.next() }) {
      for row in 0..<cluster.count {
        let position = ObjectPosition(cluster: cluster, row: row)
        let before = known(old.object(origin, at: position), as: MigrationObject.self)
        if let target {
          if let after = newObject(target, position.key) { block(before, after) }
        } else {
          block(before, nil)
        }
        meter.advance()
      }
    }
  }

  private func newBinding(_ typeName: String) -> TableBinding? {
    newSchema[typeName] == nil ? nil : new.dynamicClasses.binding(named: typeName)
  }

  /// Nil if it has been deleted.
  private func newObject(_ binding: TableBinding, _ key: ObjectKey) -> MigrationObject? {
    let objects = new.writing!.objects
    let found = engine { () throws(StorageError) in try objects.find(key, in: binding.table) }
    return found.map {
      known(new.object(binding, at: $0), as: MigrationObject.self)
    }
  }

  /// Makes an object of a class of the new schema.
  ///
  /// - Parameter value: A dictionary by property names, an array in the order of the class's
  ///   properties, or an object to copy. What it leaves out has the class's default.
  @discardableResult
  public func create(_ typeName: String, value: Any = [Any]()) -> MigrationObject {
    guard let binding = newBinding(typeName) else {
      throwRealmException(
        "Cannot create an object of class '\(typeName)', which is not in the new schema.")
    }
    return new.dynamicWriter.create(binding, value, .error)
  }

  /// Deletes an object that the migration has given, or made.
  public func delete(_ object: MigrationObject) { new.deleter.delete(object) }

  /// Deletes all objects of the class with that name; if the program no longer has the class, the
  /// class itself goes from the file.
  ///
  /// - Returns: whether the file has the class.
  @discardableResult
  public func deleteData(forType typeName: String) -> Bool {
    let objects = new.writing!.objects
    guard let table = objects.schema.description.description(of: typeName)?.tableKey else {
      return false
    }
    engine { () throws(StorageError) in try objects.deleteAllObjects(in: table) }
    new.didChange()
    if newSchema[typeName] == nil { removedClasses.insert(typeName) }
    return true
  }

  /// Gives a property another name, keeping its values. Both must be of the same type; what was
  /// optional stays so. In a synchronized file this cannot be done: to the server, and to older
  /// programs, they are two properties; ``ObjectBase/propertiesMapping()`` gives a property of the
  /// program another name than that in the file.
  ///
  /// - Parameters:
  ///   - oldName: The name in the old schema, which the new one must no longer have.
  ///   - newName: The name in the new schema.
  public func renameProperty(
    onType typeName: String, from oldName: String, to newName: String
  ) {
    let objects = new.writing!.objects
    guard let stored = objects.schema.description.description(of: typeName) else {
      throwRealmException(
        "Cannot rename properties on type '\(typeName)' because it does not exist.")
    }
    guard let info = new.classes.first(where: { $0.name == typeName }) else {
      throwRealmException(
        "Cannot rename properties on type '\(typeName)' because it has been removed from the "
          + "Realm.")
    }
    if info.properties.contains(where: { $0.columnName == oldName }) {
      throwRealmException(
        "Cannot rename property '\(typeName).\(oldName)' to '\(newName)' because the source "
          + "property still exists.")
    }
    guard let source = stored.property(named: oldName) else {
      throwRealmException(
        "Cannot rename property '\(typeName).\(oldName)' because it does not exist.")
    }
    if objects.schema.isSynced {
      throwRealmException(
        "Cannot rename property '\(typeName).\(oldName)' to '\(newName)' because the Realm is "
          + "synchronized, and its server would have both; map the new name to the old one with "
          + "propertiesMapping(), or copy the values from the old object to the new one.")
    }
    let columnName = info.property(named: newName)?.columnName ?? newName
    if let target = stored.property(named: columnName) {
      checkTypes(typeName, source, target)
    }
    engine { () throws(StorageError) in
      try objects.renameProperty(oldName, to: columnName, in: stored.tableKey)
    }
    new.migrationDidChangeSchema()
  }

  private func checkTypes(
    _ typeName: String, _ source: PropertyDescription, _ target: PropertyDescription
  ) {
    let start =
      "Cannot rename property '\(typeName).\(source.name)' to '\(target.name)' because it "
    if source.sdkType != target.sdkType {
      throwRealmException(
        start + "would change from type '\(source.sdkType)' to '\(target.sdkType)'.")
    }
    if source.isOptional && !target.isOptional {
      throwRealmException(start + "would change from optional to required.")
    }
  }
}

/// Calls a handler each time that another hundredth is done.
private struct ProgressMeter {
  private var progress: Realm.MigrationProgress
  private var next: Int
  private let handler: (@Sendable (Realm.MigrationProgress) -> Void)?

  init(
    _ className: String, total: Int, _ handler: (@Sendable (Realm.MigrationProgress) -> Void)?
  ) {
    progress = Realm.MigrationProgress(
      className: className, completedObjects: 0, totalObjects: total)
    self.handler = handler
    next = handler == nil ? .max : max(1, total / 100)
  }

  mutating func advance() {
    progress.completedObjects += 1
    guard progress.completedObjects >= next else { return }
    next = min(progress.totalObjects, next + max(1, progress.totalObjects / 100))
    handler?(progress)
  }
}

extension Realm {
  /// How far a migration has come with the objects of a class.
  public struct MigrationProgress: Hashable, Sendable {
    /// The class that `Migration.enumerateObjects(ofType:_:)` goes through.
    public internal(set) var className: String
    /// How many of its objects the block has been called with.
    public internal(set) var completedObjects: Int
    /// How many objects the class has in the file.
    public internal(set) var totalObjects: Int
  }
}
