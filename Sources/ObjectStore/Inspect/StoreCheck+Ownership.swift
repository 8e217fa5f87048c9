import Storage

// Whether embedded objects lead up to one that is not. Each belonging to one link is not enough:
// objects that own one another in a circle do so too, and nothing ever deletes them.
extension StoreCheck {
  /// Runs where nothing else was found: then every embedded object has one owner, and what is owned
  /// by the others is a tree, which a walk comes to the end of.
  mutating func runOwnership() {
    guard listed.isEmpty else { return }
    let classes = schema.description.classes
    guard classes.contains(where: { $0.isEmbedded && !owningProperties(of: $0).isEmpty }) else {
      return
    }
    do throws(StorageError) {
      var reached: [TableKey: Int] = [:]
      for description in classes where !description.isEmbedded {
        try walk(description, &reached)
      }
      for description in classes where description.isEmbedded {
        let stored = try StoreRoot.table(description.tableKey, root: root, in: source)
        let circling = (stored?.count ?? 0) - reached[description.tableKey, default: 0]
        table = description
        if circling > 0 { found("\(circling) embedded objects own one another in circles") }
      }
    } catch {
      found(error.description)
    }
  }

  /// The properties that links to embedded objects can be in.
  private func owningProperties(of description: ClassDescription) -> [PropertyDescription] {
    description.properties.filter { property in
      property.kind == .any && !schema.nestedTables.isEmpty
        || property.kind == .object
          && schema.description.description(of: property.targetTable)?.isEmbedded == true
    }
  }

  /// Counts what the objects of a class own, and what that owns.
  private func walk(
    _ description: ClassDescription, _ reached: inout [TableKey: Int]
  ) throws(StorageError) {
    let properties = owningProperties(of: description)
    guard !properties.isEmpty,
      let stored = try StoreRoot.table(description.tableKey, root: root, in: source)
    else { return }
    var pending: [(table: TableKey, key: ObjectKey)] = []
    var clusters = stored.clusters()
    while let cluster = try clusters.next() {
      for row in 0..<cluster.count {
        let position = ObjectPosition(cluster: cluster, row: row)
        try addOwned(by: position, of: stored, properties, &pending)
        while let (key, object) = pending.popLast() {
          reached[key, default: 0] += 1
          guard let inner = schema.description.description(of: key),
            let table = try StoreRoot.table(key, root: root, in: source),
            let place = try table.find(object)
          else { continue }
          try addOwned(by: place, of: table, owningProperties(of: inner), &pending)
        }
      }
    }
  }

  private func addOwned(
    by position: ObjectPosition, of stored: Table, _ properties: [PropertyDescription],
    _ pending: inout [(table: TableKey, key: ObjectKey)]
  ) throws(StorageError) {
    func add(_ value: StoredValue) {
      guard case .link(let table, let key) = value,
        schema.description.description(of: table)?.isEmbedded == true
      else { return }
      pending.append((table, key))
    }
    for property in properties {
      guard property.isCollection else {
        add(try stored.value(of: property, at: position))
        continue
      }
      let list = try stored.list(of: property, at: position)
      var leaves = list.leaves()
      while let (vector, _) = try leaves.next() {
        guard let node = vector.node else { continue }
        for row in 0..<vector.count {
          add(
            try VectorValue.read(
              node, row, kind: list.kind, isOptional: list.isOptional, target: list.target,
              in: source))
        }
      }
    }
  }
}
