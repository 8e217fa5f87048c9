/// What `holdfast inspect` says about a file.
public struct InspectReport: Codable, Sendable, Equatable {
  public struct File: Codable, Sendable, Equatable {
    public var path: String
    public var formatVersion: UInt32
    public var identifier: String
    /// Length of the file, in bytes.
    public var sizeBytes: UInt64
    /// What it takes on disk; less than the length where holes were punched.
    public var allocatedBytes: UInt64

    public init(
      path: String, formatVersion: UInt32, identifier: String, sizeBytes: UInt64,
      allocatedBytes: UInt64
    ) {
      self.path = path
      self.formatVersion = formatVersion
      self.identifier = identifier
      self.sizeBytes = sizeBytes
      self.allocatedBytes = allocatedBytes
    }
  }

  public struct Versions: Codable, Sendable, Equatable {
    public var newest: UInt64
    /// The oldest version that somebody pins; the newest one if nobody pins anything.
    public var oldestPinned: UInt64
    /// How many different versions are pinned.
    public var pinned: Int
    /// Commits whose log of changes is kept.
    public var historyEntries: Int

    public init(newest: UInt64, oldestPinned: UInt64, pinned: Int, historyEntries: Int) {
      self.newest = newest
      self.oldestPinned = oldestPinned
      self.pinned = pinned
      self.historyEntries = historyEntries
    }
  }

  public struct Property: Codable, Sendable, Equatable {
    public var name: String
    /// As Swift writes it: `Int`, `String?`, `List<Package>`.
    public var type: String
    public var isPrimaryKey: Bool
    public var isIndexed: Bool
    /// Values, lists included.
    public var bytes: UInt64
    public var indexBytes: UInt64

    public init(
      name: String, type: String, isPrimaryKey: Bool, isIndexed: Bool, bytes: UInt64,
      indexBytes: UInt64
    ) {
      self.name = name
      self.type = type
      self.isPrimaryKey = isPrimaryKey
      self.isIndexed = isIndexed
      self.bytes = bytes
      self.indexBytes = indexBytes
    }
  }

  public struct Table: Codable, Sendable, Equatable {
    public var name: String
    public var objects: Int
    public var properties: [Property]
    /// Everything of the table: values, lists, indexes, backlinks, the tree itself.
    public var bytes: UInt64

    public init(name: String, objects: Int, properties: [Property], bytes: UInt64) {
      self.name = name
      self.objects = objects
      self.properties = properties
      self.bytes = bytes
    }
  }

  /// Every byte of the file is in one of these.
  public struct Space: Codable, Sendable, Equatable {
    /// Tables and the schema, in the newest version.
    public var dataBytes: UInt64
    public var historyBytes: UInt64
    /// Commit slots, the map of free space.
    public var bookkeepingBytes: UInt64
    /// What only older, pinned versions see.
    public var retainedBytes: UInt64
    public var freeBytes: UInt64

    public init(
      dataBytes: UInt64, historyBytes: UInt64, bookkeepingBytes: UInt64, retainedBytes: UInt64,
      freeBytes: UInt64
    ) {
      self.dataBytes = dataBytes
      self.historyBytes = historyBytes
      self.bookkeepingBytes = bookkeepingBytes
      self.retainedBytes = retainedBytes
      self.freeBytes = freeBytes
    }
  }

  public var file: File
  public var versions: Versions
  public var schemaVersion: UInt64
  public var tables: [Table]
  public var space: Space

  public init(
    file: File, versions: Versions, schemaVersion: UInt64, tables: [Table], space: Space
  ) {
    self.file = file
    self.versions = versions
    self.schemaVersion = schemaVersion
    self.tables = tables
    self.space = space
  }
}

extension InspectReport: TextReport {
  public var text: String {
    ([summary, spaceText] + tables.map(text(of:))).joined(separator: "\n\n")
  }

  private var summary: String {
    var table = TextTable([("", .left), ("", .left)])
    table.add("file", file.path)
    table.add("format", "\(file.formatVersion), identifier \(file.identifier)")
    table.add(
      "size", "\(Quantity.bytes(file.sizeBytes)), \(Quantity.bytes(file.allocatedBytes)) on disk")
    table.add(
      "version",
      "\(versions.newest), oldest in use \(versions.oldestPinned), "
        + "\(versions.pinned) pinned, \(versions.historyEntries) in the history")
    let classes = Quantity.number(of: tables.count, "class", "classes")
    table.add("schema", "version \(schemaVersion), \(classes)")
    return table.text()
  }

  private var spaceText: String {
    var table = TextTable([("Space", .left), ("bytes", .right), ("", .right), ("", .right)])
    let parts = [
      ("data", space.dataBytes), ("history", space.historyBytes),
      ("bookkeeping", space.bookkeepingBytes), ("kept for older versions", space.retainedBytes),
      ("free", space.freeBytes),
    ]
    for (name, bytes) in parts {
      table.add(
        name, Quantity.count(bytes), Quantity.bytes(bytes),
        Quantity.share(bytes, of: file.sizeBytes))
    }
    return table.text()
  }

  private func text(of table: Table) -> String {
    var columns = TextTable([
      (table.name, .left), ("type", .left), ("", .left), ("bytes", .right), ("index", .right),
      ("bytes/object", .right),
    ])
    for property in table.properties {
      let role = property.isPrimaryKey ? "primary key" : property.isIndexed ? "indexed" : ""
      let share = table.objects == 0 ? "-" : perObject(property.bytes, table.objects)
      columns.add(
        property.name, property.type, role, Quantity.count(property.bytes),
        property.indexBytes == 0 ? "" : Quantity.count(property.indexBytes), share)
    }
    let total = "\(Quantity.number(of: table.objects, "object")), \(Quantity.bytes(table.bytes))"
    return columns.text() + "\n  " + total
  }

  private func perObject(_ bytes: UInt64, _ objects: Int) -> String {
    let tenths = bytes * 10 / UInt64(objects)
    return "\(tenths / 10).\(tenths % 10)"
  }
}
