import Platform
import Storage

/// What happened to one list, in the order in which it happened.
public enum ListOperation: Hashable, Sendable {
  /// `count` elements were inserted, the first at `index`.
  case insert(index: Int, count: Int)
  /// `count` elements were removed, the first at `index`.
  case remove(index: Int, count: Int)
  /// The element at `index` was replaced.
  case set(index: Int)
  /// The element at `from` was taken out and put where it has index `to` afterwards.
  case move(from: Int, to: Int)
  case swap(Int, Int)
  case clear
}

/// How a list changed.
public enum ListChange: Hashable, Sendable {
  case operations([ListOperation])
  /// Too much to tell: compare the old list with the new one.
  case compare
}

/// What a range of commits did to one table.
public struct TableChanges: Sendable {
  public let table: TableKey
  /// Objects that are in the newer version only.
  public internal(set) var insertions = KeySet()
  /// Objects that are in the older version only.
  public internal(set) var deletions = KeySet()
  /// Objects in both versions of which that column was set (perhaps to the value that it had), or
  /// whose list in that column was changed.
  public internal(set) var modifications: [(column: ColumnKey, objects: KeySet)] = []
  /// Lists, in objects of both versions, that were changed; ordered by column, then object.
  public internal(set) var lists: [ListEntry] = []

  /// Links of one column whose targets were deleted.
  struct Cuts: Sendable {
    var column: ColumnKey
    var objects: KeySet
    /// Objects of which the program has set that column as well.
    var written: KeySet
  }

  /// Among the modifications are these. Only the transaction itself knows it, until it is
  /// committed.
  var cuts: [Cuts] = []

  /// One changed list.
  public struct ListEntry: Sendable {
    public let column: ColumnKey
    public let object: ObjectKey
    public internal(set) var change: ListChange
  }

  /// Object keys are below this, so that those of a whole set can be counted.
  static let keyEnd: Int64 = 1 << 62
  /// Indices of lists and numbers of elements, at most, so that a thousand of them can be added up.
  static let listIndexMax = 1 << 40

  init(table: TableKey) { self.table = table }

  public func isInserted(_ object: ObjectKey) -> Bool { insertions.contains(object) }
  public func isDeleted(_ object: ObjectKey) -> Bool { deletions.contains(object) }

  /// Whether any column of the object was set, or any of its lists changed.
  public func isModified(_ object: ObjectKey) -> Bool {
    modifications.contains { $0.objects.contains(object) }
  }

  /// Whether that column of the object was set, or its list changed.
  public func isModified(_ object: ObjectKey, _ column: ColumnKey) -> Bool {
    objects(modifiedIn: column).contains(object)
  }

  /// Whether that column of the object is null because the object that it led to was deleted, and
  /// was not set in the same transaction. Only the transaction itself knows it.
  public func isOnlyCut(_ object: ObjectKey, _ column: ColumnKey) -> Bool {
    cuts.contains {
      $0.column == column && $0.objects.contains(object) && !$0.written.contains(object)
    }
  }

  /// The objects of which that column was modified.
  public func objects(modifiedIn column: ColumnKey) -> KeySet {
    modifications.first { $0.column == column }?.objects ?? KeySet()
  }

  /// The columns of the object that were modified.
  public func modifiedColumns(of object: ObjectKey) -> [ColumnKey] {
    modifications.compactMap { $0.objects.contains(object) ? $0.column : nil }
  }

  /// All objects with a modification.
  public var modifiedObjects: KeySet {
    modifications.reduce(KeySet()) { $0.union($1.objects) }
  }

  /// What happened to the object's list; nil if it was not changed.
  public func listChange(of object: ObjectKey, _ column: ColumnKey) -> ListChange? {
    let place = lists.indices.partitionPoint {
      (lists[$0].column, lists[$0].object) < (column, object)
    }
    guard place < lists.count, lists[place].column == column, lists[place].object == object else {
      return nil
    }
    return lists[place].change
  }

  var isEmpty: Bool { insertions.isEmpty && deletions.isEmpty && modifications.isEmpty }
}

/// What a range of commits did: the decoded form of the history that they carry.
public struct ChangeSet: Sendable {
  /// The tables that were touched, by key.
  public internal(set) var tables: [TableChanges] = []
  /// Whether the schema changed.
  public internal(set) var schemaChanged = false

  public init() {}

  /// What happened to that table; nil if nothing did.
  public func changes(in table: TableKey) -> TableChanges? {
    tables.first { $0.table == table }
  }

  public var isEmpty: Bool { tables.isEmpty && !schemaChanged }

  /// Whether the value is a list or map of the file's own, and it or one inside of it was changed.
  public func touchesCollection(_ value: StoredValue, in schema: SchemaDescription) -> Bool {
    guard case .link(let table, let object) = value, let changes = changes(in: table) else {
      return false
    }
    return schema.description(of: table)?.isNestedCollection == true && changes.isModified(object)
  }

  /// Refuses a history that names more objects than a version of the file can have: what is made of
  /// it is then no larger than the tables are.
  ///
  /// - Parameters:
  ///   - root: the object store's root in the version that the changes led to.
  ///   - old: that of the version before them, where it is at hand: only what was there can have
  ///     been deleted.
  public func check(
    against root: NodeReference, in source: NodeSource,
    from old: (root: NodeReference, source: NodeSource)? = nil
  ) throws(StorageError) {
    for changes in tables {
      guard let table = try StoreRoot.table(changes.table, root: root, in: source) else {
        throw source.corrupt(root, "a table \(changes.table.rawValue) was expected by the history")
      }
      let end = try table.nextKey().rawValue
      let present = [changes.insertions] + changes.modifications.map(\.objects)
      guard present.allSatisfy({ $0.count <= table.count && $0.isBelow(end) }),
        changes.deletions.isBelow(end)
      else {
        throw source.corrupt(
          table.root, "changes of \(table.count) objects below \(end) were expected")
      }
      guard let old, !changes.deletions.isEmpty else { continue }
      let before = try StoreRoot.table(changes.table, root: old.root, in: old.source)?.count ?? 0
      guard changes.deletions.count <= before else {
        throw source.corrupt(table.root, "deletions of \(before) objects were expected")
      }
    }
  }
}
