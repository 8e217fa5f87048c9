import ObjectStore
import Storage
import SyncProtocol

/// The tables of an app's file that are the server's own: how to find and change their rows.
///
/// Their names have a dot in them, which no class of a program's can have.
struct HiddenTables {
  /// The head, and the names and classes of it: a row for each.
  private let head: HiddenTable
  /// An object with its stamps, by class and key.
  private let object: HiddenTable
  /// A client file, but for what it holds.
  private let client: HiddenTable
  /// What client files hold, in steps; those of one file in the order of their keys.
  private let held: HiddenTable
  /// Links to objects that are not there.
  let link: HiddenTable

  static let classes = [
    ClassDescription(
      name: "server.head",
      properties: [key(.int), PropertyDescription(name: "row", kind: .data)]),
    ClassDescription(
      name: "server.object",
      properties: [
        key(.string),
        PropertyDescription(name: "version", kind: .int, isIndexed: true),
        PropertyDescription(name: "type", kind: .int, isIndexed: true),
        PropertyDescription(name: "isDead", kind: .bool, isIndexed: true),
        PropertyDescription(name: "hasMarks", kind: .bool, isIndexed: true),
        PropertyDescription(name: "row", kind: .data),
      ]),
    ClassDescription(
      name: "server.client",
      properties: [key(.int), PropertyDescription(name: "row", kind: .data)]),
    ClassDescription(
      name: "server.held",
      properties: [
        PropertyDescription(name: "client", kind: .int, isIndexed: true),
        PropertyDescription(name: "row", kind: .data),
      ]),
    ClassDescription(
      name: "server.link",
      properties: [
        PropertyDescription(name: "source", kind: .string, isIndexed: true),
        PropertyDescription(name: "target", kind: .string, isIndexed: true),
      ]),
  ]

  private static func key(_ kind: ValueKind) -> PropertyDescription {
    PropertyDescription(name: "_id", kind: kind, isPrimaryKey: true)
  }

  /// The tables in a file's schema; nil if it does not have them.
  init?(_ schema: SchemaDescription) {
    guard let head = HiddenTable("server.head", schema),
      let object = HiddenTable("server.object", schema),
      let client = HiddenTable("server.client", schema),
      let held = HiddenTable("server.held", schema), let link = HiddenTable("server.link", schema)
    else { return nil }
    self.link = link
    self.head = head
    self.object = object
    self.client = client
    self.held = held
  }

  // MARK: Reading

  /// The bytes of the head, and of its names and classes.
  func headRows(_ snapshot: Snapshot) throws(StorageError) -> (head: [UInt8], schema: [UInt8])? {
    guard let row = try head.row(.int(0), snapshot), let schema = try head.row(.int(1), snapshot)
    else { return nil }
    return (row, schema)
  }

  /// Whether the file is a backup that no server has opened.
  func isBackup(_ snapshot: Snapshot) throws(StorageError) -> Bool {
    try head.row(.int(2), snapshot) != nil
  }

  func setBackup(
    _ isBackup: Bool, in transaction: ObjectTransaction
  ) throws(StorageError) {
    if isBackup {
      try head.put(.int(2), [("row", .data([1]))], in: transaction)
    } else {
      try head.remove(.int(2), in: transaction)
    }
  }

  func objectRow(_ id: ObjectID, _ snapshot: Snapshot) throws(StorageError) -> [UInt8]? {
    try object.row(.string(id.storedKey), snapshot)
  }

  /// The version of an object; zero if it is not known.
  func version(of id: ObjectID, _ snapshot: Snapshot) throws(StorageError) -> ServerVersion {
    let table = try object.table(snapshot)
    guard let row = try object.find(.string(id.storedKey), table),
      let position = try table.find(row)
    else { return .zero }
    let number = try table.int(object.column("version"), at: position)
    return ServerVersion(UInt64(bitPattern: number))
  }

  /// In the order of their versions.
  func objects(
    after version: ServerVersion, _ snapshot: Snapshot
  ) throws(StorageError) -> [ObjectID] {
    let from = Int64(bitPattern: version.rawValue) + 1
    return try objects(snapshot, "version", from, Int64.max)
  }

  func objectsWithMarks(_ snapshot: Snapshot) throws(StorageError) -> [ObjectID] {
    try objects(snapshot, "hasMarks", 1, 1)
  }

  func livingObjects(of type: NameID, _ snapshot: Snapshot) throws(StorageError) -> [ObjectID] {
    let table = try object.table(snapshot)
    let number = Int64(type.rawValue)
    let dead = object.column("isDead")
    var found: [ObjectID] = []
    for key in try object.keys("type", number, number, table) {
      guard let position = try table.find(key), try !table.bool(dead, at: position) else {
        continue
      }
      found.append(try id(position, table))
    }
    return found
  }

  func deadObjects(
    upTo version: ServerVersion, _ snapshot: Snapshot
  ) throws(StorageError) -> [ObjectID] {
    let table = try object.table(snapshot)
    let column = object.column("version")
    var found: [ObjectID] = []
    for key in try object.keys("isDead", 1, 1, table) {
      guard let position = try table.find(key),
        try table.int(column, at: position) <= Int64(version.rawValue)
      else { continue }
      found.append(try id(position, table))
    }
    return found
  }

  private func objects(
    _ snapshot: Snapshot, _ property: String, _ from: Int64, _ through: Int64
  ) throws(StorageError) -> [ObjectID] {
    let table = try object.table(snapshot)
    var found: [ObjectID] = []
    for key in try object.keys(property, from, through, table) {
      if let position = try table.find(key) { found.append(try id(position, table)) }
    }
    return found
  }

  private func id(_ position: ObjectPosition, _ table: Table) throws(StorageError) -> ObjectID {
    let text = try table.string(object.key, at: position)
    guard let id = ObjectID(storedKey: text) else {
      throw StorageError(
        .corrupt, path: table.source.path, "the key of an object cannot be read: \(text)")
    }
    return id
  }

  /// The rows of all client files, each with the steps of what it holds.
  func clientRows(_ snapshot: Snapshot) throws(StorageError) -> [(row: [UInt8], held: [[UInt8]])] {
    let clients = try client.table(snapshot)
    let steps = try held.table(snapshot)
    var found: [(row: [UInt8], held: [[UInt8]])] = []
    for key in try clients.allKeys() {
      guard let position = try clients.find(key) else { continue }
      let number = try clients.int(client.key, at: position)
      var rows: [[UInt8]] = []
      for step in try held.keys("client", number, number, steps) {
        guard let place = try steps.find(step) else { continue }
        rows.append(try steps.data(held.column("row"), at: place))
      }
      found.append((try clients.data(client.column("row"), at: position), rows))
    }
    return found
  }

  // MARK: Writing

  func putHead(
    _ new: ServerHead, isSchemaNew: Bool, in transaction: ObjectTransaction
  ) throws(StorageError) {
    try head.put(.int(0), [("row", .data(new.shortRow))], in: transaction)
    if isSchemaNew { try head.put(.int(1), [("row", .data(new.schemaRow))], in: transaction) }
  }

  func putObject(
    _ new: ServerObject, _ id: ObjectID, names: Names, in transaction: ObjectTransaction
  ) throws(StorageError) {
    try object.put(
      .string(id.storedKey),
      [
        ("version", .int(Int64(bitPattern: new.version.rawValue))),
        ("type", .int(Int64(id.type.rawValue))),
        ("isDead", .bool(!new.generation.isAlive)),
        ("hasMarks", .bool(new.hasMarks)),
        ("row", .data(new.row(names: names))),
      ], in: transaction)
  }

  func removeObject(_ id: ObjectID, in transaction: ObjectTransaction) throws(StorageError) {
    try object.remove(.string(id.storedKey), in: transaction)
  }

  func putClient(
    _ id: ClientID, _ row: [UInt8], in transaction: ObjectTransaction
  ) throws(StorageError) {
    try client.put(
      .int(Int64(bitPattern: id.rawValue)), [("row", .data(row))], in: transaction)
  }

  func putHeld(
    _ id: ClientID, _ step: ClientFile.HeldStep, in transaction: ObjectTransaction
  ) throws(StorageError) {
    let number = Int64(bitPattern: id.rawValue)
    if step.isWhole { try removeHeld(number, in: transaction) }
    let key = try transaction.createObject(in: held.tableKey)
    try held.set([("client", .int(number)), ("row", .data(step.bytes))], key, in: transaction)
  }

  func removeClient(_ id: ClientID, in transaction: ObjectTransaction) throws(StorageError) {
    let number = Int64(bitPattern: id.rawValue)
    try client.remove(.int(number), in: transaction)
    try removeHeld(number, in: transaction)
  }

  private func removeHeld(
    _ number: Int64, in transaction: ObjectTransaction
  ) throws(StorageError) {
    let table = try transaction.table(held.tableKey)
    for key in try held.keys("client", number, number, table) {
      try transaction.deleteObject(key, in: held.tableKey)
    }
  }
}
