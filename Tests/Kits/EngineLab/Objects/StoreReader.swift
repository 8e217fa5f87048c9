import ObjectStore
import Storage
import TestSupport

/// Reads a version in every way that there is, going on after errors: a damaged file may refuse,
/// and must not do worse.
struct StoreReader {
  let snapshot: Snapshot
  /// What the file held before it was damaged: values to look for.
  let model: StoreModel
  private(set) var errors: [StorageError] = []
  private var random: SeededGenerator

  init(_ snapshot: Snapshot, _ model: StoreModel, seed: UInt64) {
    self.snapshot = snapshot
    self.model = model
    random = SeededGenerator(seed: seed)
  }

  private var source: NodeSource { snapshot.source }

  /// Keeps what storage says; anything else is thrown on.
  private mutating func attempt(_ body: (inout StoreReader) throws -> Void) throws {
    do { try body(&self) } catch let error as StorageError {
      try require(
        error.path == snapshot.database.path && !error.message.isEmpty,
        "an error that names nothing: \(error)")
      errors.append(error)
    }
  }

  mutating func readEverything() throws {
    try attempt { reader in
      let view = try Self.view(reader.snapshot)
      for description in view.schema.classes {
        try reader.attempt { reader in
          guard let table = try view.table(description.tableKey) else { return }
          try reader.read(table, description)
        }
      }
      try reader.query(view)
    }
    try attempt { reader in
      _ = try StoreSpace(root: reader.snapshot.root, in: reader.source)
    }
    try attempt { reader in _ = try reader.snapshot.changes(after: 0) }
  }

  /// Carries results and lists on from an earlier version, which is whole.
  mutating func advance(from older: Snapshot) throws {
    try attempt { reader in
      let old = try Self.view(older)
      let new = try Self.view(reader.snapshot)
      let changes = try reader.snapshot.changes(after: older)
      var generator = QueryGenerator(random: reader.random, model: reader.model)
      for _ in 0..<4 {
        let query = try CompiledQuery(generator.query(), schema: old.schema)
        let results = try QueryResults(query, old)
        let scope = ChangeScope(elementsOf: query.table, schema: old.schema)
        try reader.attempt { _ in
          _ = try results.advanced(from: old, to: new, changes, scope)
        }
      }
      reader.random = generator.random
      try reader.observeLists(old, new, changes)
    }
  }

  private mutating func observeLists(
    _ old: StoreView, _ new: StoreView, _ changes: ChangeSet
  ) throws {
    for description in model.schema.classes {
      guard let key = model[description.tableKey].keys.first else { continue }
      for property in description.properties where property.isCollection {
        let list = ObservedList(
          owner: description.tableKey, object: key, column: property.columnKey)
        try attempt { _ in _ = try list.changes(from: old, to: new, changes, nil) }
      }
    }
  }

  private static func view(_ snapshot: Snapshot) throws -> StoreView {
    let schema = try SchemaCache().schema(snapshot.root, in: snapshot.source).description
    return StoreView(source: snapshot.source, root: snapshot.root, schema: schema)
  }

  // MARK: Objects

  private mutating func read(_ table: Table, _ description: ClassDescription) throws {
    try attempt { reader in
      var clusters = table.clusters()
      while let cluster = try clusters.next() {
        for row in 0..<cluster.count {
          try reader.read(table, description, ObjectPosition(cluster: cluster, row: row))
        }
      }
    }
    for index in [0, table.count / 2, table.count - 1] where index >= 0 && index < table.count {
      try attempt { reader in
        try reader.read(table, description, try table.position(at: index))
      }
    }
    let keys = Int(table.key.rawValue) < model.tables.count ? model[table.key].keys : []
    for key in keys {
      try attempt { _ in
        _ = try table.find(key)
        _ = try table.index(of: key)
      }
    }
    for property in description.properties {
      try attempt { try $0.readIndex(table, property) }
    }
  }

  private mutating func read(
    _ table: Table, _ description: ClassDescription, _ position: ObjectPosition
  ) throws {
    for property in description.properties {
      try attempt { reader in
        if property.isCollection {
          try reader.read(try table.list(of: property, at: position))
          if property.collection == .map { try reader.readMap(table, property, position) }
        } else {
          _ = try table.value(of: property, at: position)
          try reader.readTyped(table, property, position)
        }
      }
    }
    for backlink in description.backlinks {
      try attempt { _ in
        let view = try table.backlinks(backlink.columnKey, at: position)
        let keys = try view.keys()
        for index in 0..<min(view.count, 3) { _ = try view.key(at: index) }
        for key in keys.prefix(3) { _ = try view.count(from: key) }
      }
    }
  }

  private func readTyped(
    _ table: Table, _ property: PropertyDescription, _ position: ObjectPosition
  ) throws {
    let column = property.columnKey
    _ = try table.isNull(column, at: position)
    switch property.kind {
    case .int, .bool:
      _ = try table.int(column, at: position)
      _ = try table.optionalBool(column, at: position)
      _ = try position.int(column, in: source)
      _ = try position.optionalInt(column, in: source)
    case .float: _ = try table.optionalFloat(column, at: position)
    case .double, .date:
      _ = try table.double(column, at: position)
      _ = try table.optionalDouble(column, at: position)
      _ = try position.double(column, in: source)
    case .string:
      _ = try table.string(column, at: position)
      _ = try table.optionalString(column, at: position)
      _ = try position.string(column, in: source)
    case .data: _ = try table.optionalData(column, at: position)
    case .objectId: _ = try table.optionalObjectId(column, at: position)
    case .uuid: _ = try table.optionalUUID(column, at: position)
    case .decimal128: _ = try table.optionalDecimal128(column, at: position)
    case .object: _ = try table.link(column, at: position)
    case .any: _ = try table.any(column, at: position)
    }
  }

  private func read(_ list: ListView) throws {
    var leaves = list.leaves()
    while let (vector, _) = try leaves.next() { _ = vector.count }
    for index in 0..<list.count {
      _ = try list.value(at: index)
      _ = try list.isNull(at: index)
    }
    _ = try list.firstIndex(of: .int(3))
    _ = try list.aggregate(.maximum)
  }

  private func readMap(
    _ table: Table, _ property: PropertyDescription, _ position: ObjectPosition
  ) throws {
    let keys = try table.list(of: property.mapKeys, at: position)
    try read(keys)
    let map = MapView(keys: keys, values: try table.list(of: property, at: position))
    for key in ["", "k0", "k3", "~"] { _ = try map.value(of: key) }
  }

  // MARK: Indexes and queries

  private func readIndex(_ table: Table, _ property: PropertyDescription) throws {
    guard let index = try table.index(of: property) else { return }
    var values: [StoredValue] = [.null, VectorFiller.value(property.kind)]
    if Int(table.key.rawValue) < model.tables.count {
      values += model[table.key].keys.prefix(5).map {
        model.value(property.columnKey, of: $0, in: table.key)
      }
    }
    for value in values {
      _ = try index.keys(equal: value)
      _ = try index.count(equal: value)
      if property.isPrimaryKey { _ = try table.find(primaryKey: value, property) }
    }
    guard index.isOrdered else { return }
    _ = try index.count(from: -5, through: 5)
    _ = try index.keys(from: .min, through: .max)
    _ = try index.rank(of: 3)
    if try index.count(from: .min, through: .max) > 0 { _ = try index.entry(at: 0) }
  }

  private mutating func query(_ view: StoreView) throws {
    if model.schema.classes.isEmpty { return }
    var generator = QueryGenerator(random: random, model: model)
    for _ in 0..<4 {
      let description = generator.query()
      try attempt { _ in
        do {
          let query = try CompiledQuery(description, schema: view.schema)
          _ = try query.count(view)
          _ = try query.evaluate(view)
          let results = try QueryResults(query, view)
          for index in 0..<results.count { _ = try results.key(at: index, view) }
        } catch is QueryError {
          // The schema may be an older one, which does not have what is asked for.
        }
      }
    }
    random = generator.random
  }
}

/// Any value of a kind.
private enum VectorFiller {
  static func value(_ kind: ValueKind) -> StoredValue {
    var random = SeededGenerator(seed: 3)
    return ValueGenerator.scalar(kind, &random)
  }
}
