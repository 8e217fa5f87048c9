/// Resolves names against a schema.
struct PathCompiler {
  let schema: SchemaDescription

  init(_ schema: SchemaDescription) { self.schema = schema }

  func description(of table: TableKey) throws(QueryError) -> ClassDescription {
    guard let description = schema.description(of: table) else {
      throw QueryError("There is no class with table key \(table.rawValue) in the schema.")
    }
    return description
  }

  /// - Throws: `QueryError` if a name does not exist or cannot be passed through.
  func compile(_ path: QueryPath, from root: TableKey) throws(QueryError) -> CompiledPath {
    var compiled = CompiledPath(root: root, hops: [], end: .object)
    let steps = path.steps.prefix { !$0.isInside }
    for (index, step) in steps.enumerated() {
      let isLast = index == steps.count - 1
      switch step {
      case .property(let name):
        try append(name, isLast: isLast, to: &compiled, path)
      case .backlinks(let className, let property):
        try append(className, property, isLast: isLast, to: &compiled, path)
      case .links:
        guard isLast else {
          throw QueryError("@links in '\(path.description)' can only be counted.")
        }
        compiled.end = .links(links(to: compiled.lastTable))
      case .element(let name, let element):
        try append(element, of: name, isLast: isLast, to: &compiled, path)
      case .keys(let name):
        let property = try collection(name, compiled.lastTable)
        guard isLast, property.collection == .map else {
          throw QueryError("'\(path.description)' does not end in a map.")
        }
        compiled.end = .list(ColumnInfo(property.mapKeys))
      case .inside: break
      }
    }
    try append(path.steps[steps.count...], to: &compiled, path)
    return compiled
  }

  /// From where there may be links to objects of the table: links and collections of its class, and
  /// values of any kind, whether one has led there already or not.
  private func links(to table: TableKey) -> [CompiledPath.Hop] {
    var hops: [CompiledPath.Hop] = []
    for origin in schema.classes {
      for property in origin.properties
      where property.targetTable == table || property.kind == .any {
        let known = schema.description(of: table)?.backlinkColumn(
          from: origin.tableKey, property.columnKey)
        hops.append(
          .backlinks(
            column: known ?? .unassigned, origin: origin.tableKey,
            originColumn: property.columnKey))
      }
    }
    return hops
  }

  /// The steps into a value of any kind, which are the last.
  private func append(
    _ steps: ArraySlice<QueryPath.Step>, to compiled: inout CompiledPath, _ path: QueryPath
  ) throws(QueryError) {
    if steps.isEmpty { return }
    let inner = steps.compactMap { step -> NestedStep? in
      if case .inside(let element) = step { NestedStep(element) } else { nil }
    }
    guard inner.count == steps.count, compiled.kind == .any else {
      throw QueryError("'\(path.description)' goes into what is no value of any kind.")
    }
    compiled.end = .inside(compiled.end, inner)
  }

  private func collection(
    _ name: String, _ table: TableKey
  ) throws(QueryError) -> PropertyDescription {
    let owner = try description(of: table)
    guard let property = owner.property(named: name), property.isCollection else {
      throw QueryError("Property '\(name)' of object of type '\(owner.name)' is no collection.")
    }
    return property
  }

  private func append(
    _ element: QueryPath.Element, of name: String, isLast: Bool, to compiled: inout CompiledPath,
    _ path: QueryPath
  ) throws(QueryError) {
    let property = try collection(name, compiled.lastTable)
    let column = ColumnInfo(property)
    let which: CompiledElement
    switch (element, property.collection) {
    case (.key(let key), .map): which = .key(Array(key.utf8), of: property.mapKeys.columnKey)
    case (.index(let index), .list): which = .index(index)
    case (.first, .list): which = .index(0)
    case (.last, .list): which = .last
    default:
      throw QueryError("'\(path.description)' has an index that the collection does not take.")
    }
    if isLast {
      compiled.end = .element(column, which)
    } else if property.kind == .object {
      compiled.hops.append(.element(column, which))
    } else {
      throw QueryError("'\(path.description)' cannot pass through '\(name)', which has no objects.")
    }
  }

  private func append(
    _ name: String, isLast: Bool, to compiled: inout CompiledPath, _ path: QueryPath
  ) throws(QueryError) {
    let owner = try description(of: compiled.lastTable)
    guard let property = owner.property(named: name) else {
      throw QueryError("Property '\(name)' not found in object of type '\(owner.name)'.")
    }
    let column = ColumnInfo(property)
    let isList = property.isCollection
    if isLast {
      compiled.end = isList ? .list(column) : .value(column)
    } else if property.kind == .object {
      compiled.hops.append(isList ? .list(column) : .link(column))
    } else {
      throw QueryError(
        "Property '\(name)' is not a link in object of type '\(owner.name)', "
          + "so '\(path.description)' cannot pass through it.")
    }
  }

  private func append(
    _ className: String, _ name: String, isLast: Bool, to compiled: inout CompiledPath,
    _ path: QueryPath
  ) throws(QueryError) {
    let target = try description(of: compiled.lastTable)
    guard let origin = schema.description(of: className),
      let property = origin.property(named: name)
    else {
      throw QueryError("Property '\(name)' not found in object of type '\(className)'.")
    }
    guard let column = target.backlinkColumn(from: origin.tableKey, property.columnKey) else {
      throw QueryError("Property '\(className).\(name)' does not link to '\(target.name)'.")
    }
    if isLast {
      compiled.end = .backlinks(
        column: column, origin: origin.tableKey, originColumn: property.columnKey)
    } else {
      compiled.hops.append(
        .backlinks(column: column, origin: origin.tableKey, originColumn: property.columnKey))
    }
  }
}

extension QueryPath.Step {
  fileprivate var isInside: Bool { if case .inside = self { true } else { false } }
}
