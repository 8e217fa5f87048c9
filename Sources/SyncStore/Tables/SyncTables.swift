import ObjectStore
import Storage

/// The hidden tables of a synced file, and their columns.
///
/// `file` has one object: who the file is, and its `ClientRecord`. What nearly every commit changes
/// of that has columns of its own; the rest is one value, which is read again when `version` is
/// another. `object` has an object for each of the program's that is not plain
/// (`ClientObject.isPlain`), dead ones among them. `link` finds, by their target, links to what is
/// not there. `log` is what `WriteLog` has no room for in `file`.
struct SyncTables: Sendable {
  struct File: Sendable {
    let table: TableKey
    let client, clock, elements, dirty, version, record, user, writes: ColumnKey
  }

  struct Objects: Sendable {
    let table: TableKey
    let name: PropertyDescription
    let dirty, since, until, state, places: ColumnKey
  }

  struct Links: Sendable {
    let table: TableKey
    let target: PropertyDescription
    let source: ColumnKey
  }

  struct Log: Sendable {
    let table: TableKey
    let page: ColumnKey
  }

  let file: File
  let objects: Objects
  let links: Links
  let log: Log
  let session: SessionTable.Layout

  /// Nil for a file that is not synced, or that lacks something because an earlier version made it.
  init?(_ schema: SchemaDescription) {
    guard Self.classes.allSatisfy({ schema.has($0) }),
      let file = schema.description(of: SyncClass.file.className),
      let object = schema.description(of: SyncClass.object.className),
      let link = schema.description(of: SyncClass.link.className),
      let log = schema.description(of: SyncClass.log.className),
      let session = SessionTable.Layout(schema)
    else { return nil }
    self.file = File(
      table: file.tableKey, client: file.column("client"), clock: file.column("clock"),
      elements: file.column("elements"), dirty: file.column("dirty"),
      version: file.column("version"), record: file.column("record"), user: file.column("user"),
      writes: file.column("writes"))
    objects = Objects(
      table: object.tableKey, name: object.property(named: "name")!,
      dirty: object.column("dirty"), since: object.column("since"), until: object.column("until"),
      state: object.column("state"), places: object.column("places"))
    links = Links(
      table: link.tableKey, target: link.property(named: "target")!,
      source: link.column("source"))
    self.session = session
    self.log = Log(table: log.tableKey, page: log.column("page"))
  }

  /// The classes, as a program would want them.
  static let classes =
    [
      ClassDescription(
        name: SyncClass.file.className,
        properties: ["client", "clock", "elements", "dirty", "version"].map {
          PropertyDescription(name: $0, kind: .int)
        } + [
          PropertyDescription(name: "record", kind: .data),
          PropertyDescription(name: "user", kind: .string),
          PropertyDescription(name: "writes", kind: .data),
        ]),
      ClassDescription(
        name: SyncClass.object.className,
        properties: [
          PropertyDescription(name: "name", kind: .string, isPrimaryKey: true),
          PropertyDescription(name: "dirty", kind: .bool),
          PropertyDescription(name: "since", kind: .int),
          PropertyDescription(name: "until", kind: .int),
          PropertyDescription(name: "state", kind: .data),
          PropertyDescription(name: "places", kind: .data),
        ]),
      ClassDescription(
        name: SyncClass.link.className,
        properties: [
          PropertyDescription(name: "target", kind: .string, isIndexed: true),
          PropertyDescription(name: "source", kind: .string),
        ]),
      ClassDescription(
        name: SyncClass.log.className,
        properties: [PropertyDescription(name: "page", kind: .data)]),
    ] + [SessionTable.description]
}

extension ClassDescription {
  /// The column of a property that the class has.
  func column(_ name: String) -> ColumnKey { property(named: name)!.columnKey }
}

extension SchemaDescription {
  /// Whether the class is there, with all of its properties.
  fileprivate func has(_ wanted: ClassDescription) -> Bool {
    guard let known = description(of: wanted.name) else { return false }
    return wanted.properties.allSatisfy { known.property(named: $0.name) != nil }
  }

  /// Whether the file is a synced one.
  public var isSynced: Bool { description(of: SyncClass.file.className) != nil }

  /// Whether the file is a synced one that lacks some of the hidden tables, because it was made by
  /// an earlier version of the library.
  public var lacksSyncTables: Bool { isSynced && SyncTables(self) == nil }
}

extension StorageError {
  /// A hidden table does not have what it must have.
  static func unsoundSync(_ path: String, _ what: String) -> StorageError {
    StorageError(.corrupt, path: path, "what the file knows of its server cannot be read: \(what)")
  }
}
