/// One way in which a file's schema is not what a program wants.
///
/// What the file has and the program has no class for is no difference.
public enum SchemaDifference: Hashable, Sendable {
  case classAdded(String)
  case madeEmbedded(String, Bool)
  case propertyAdded(String, PropertyDescription)
  case propertyRemoved(String, PropertyDescription)
  case typeChanged(String, from: PropertyDescription, to: PropertyDescription)
  case madeOptional(String, from: PropertyDescription, to: PropertyDescription)
  case madeRequired(String, from: PropertyDescription, to: PropertyDescription)
  case primaryKeyChanged(String, from: String?, to: String?)
  case indexAdded(String, PropertyDescription)
  case indexRemoved(String, PropertyDescription)

  /// Whether it takes a migration: classes and indexes come and go without.
  public var needsMigration: Bool {
    switch self {
    case .classAdded, .indexAdded, .indexRemoved: false
    default: true
    }
  }

  /// Whether a class has more properties than it had.
  public var isAddition: Bool { if case .propertyAdded = self { true } else { false } }

  /// Whether a class has fewer properties than it had.
  public var isRemoval: Bool { if case .propertyRemoved = self { true } else { false } }

  /// Whether objects that have a primary key get another one, or one of another type.
  public var changesPrimaryKey: Bool {
    switch self {
    case .primaryKeyChanged(_, let old, _): old != nil
    case .typeChanged(_, let old, let new), .madeOptional(_, let old, let new),
      .madeRequired(_, let old, let new):
      old.isPrimaryKey && new.isPrimaryKey
    default: false
    }
  }

  /// Whether a program that only reads cannot do with it: it may lack indexes and classes, and know
  /// fewer properties than the file has, but not more.
  public var preventsReading: Bool {
    switch self {
    case .classAdded, .madeEmbedded, .propertyRemoved, .indexAdded, .indexRemoved: false
    default: true
    }
  }

  /// Whether a program that has the file open with the schema before cannot go on with this one.
  public var preventsGoingOn: Bool {
    switch self {
    case .classAdded, .propertyAdded, .indexAdded, .indexRemoved: false
    default: true
    }
  }

  /// The difference in the words that users of Apple's SDK search for.
  public var sentence: String {
    switch self {
    case .classAdded(let name): "Class '\(name)' has been added."
    case .madeEmbedded(let name, let isEmbedded):
      "Class '\(name)' has been changed from \(isEmbedded ? "TopLevel" : "Embedded") to "
        + "\(isEmbedded ? "Embedded" : "TopLevel")."
    case .propertyAdded(let name, let property):
      "Property '\(name).\(property.name)' has been added."
    case .propertyRemoved(let name, let property):
      "Property '\(name).\(property.name)' has been removed."
    case .typeChanged(let name, let old, let new):
      "Property '\(name).\(new.name)' has been changed from '\(old.sdkType)' to "
        + "'\(new.sdkType)'."
    case .madeOptional(let name, _, let new):
      "Property '\(name).\(new.name)' has been made optional."
    case .madeRequired(let name, _, let new):
      "Property '\(name).\(new.name)' has been made required."
    case .primaryKeyChanged(let name, nil, _):
      "Primary Key for class '\(name)' has been added."
    case .primaryKeyChanged(let name, _, nil):
      "Primary Key for class '\(name)' has been removed."
    case .primaryKeyChanged(let name, let old?, let new?):
      "Primary Key for class '\(name)' has changed from '\(old)' to '\(new)'."
    case .indexAdded(let name, let property):
      "Property '\(name).\(property.name)' has been made indexed."
    case .indexRemoved(let name, let property):
      "Property '\(name).\(property.name)' has been made unindexed."
    }
  }
}

extension SchemaDescription {
  /// What is different in the wanted schema, class by class in the order of their names.
  public func differences(to wanted: SchemaDescription) -> [SchemaDifference] {
    wanted.classes.sorted { $0.name < $1.name }.flatMap { wanted in
      description(of: wanted.name)?.differences(to: wanted) ?? [.classAdded(wanted.name)]
    }
  }
}

extension ClassDescription {
  fileprivate func differences(to wanted: ClassDescription) -> [SchemaDifference] {
    var found: [SchemaDifference] = []
    if isEmbedded != wanted.isEmbedded { found.append(.madeEmbedded(name, wanted.isEmbedded)) }
    for old in properties {
      guard let new = wanted.property(named: old.name) else {
        found.append(.propertyRemoved(name, old))
        continue
      }
      found += difference(from: old, to: new)
    }
    for new in wanted.properties where property(named: new.name) == nil {
      found.append(.propertyAdded(name, new))
    }
    if primaryKey?.name != wanted.primaryKey?.name {
      found.append(
        .primaryKeyChanged(name, from: primaryKey?.name, to: wanted.primaryKey?.name))
    }
    return found
  }

  private func difference(
    from old: PropertyDescription, to new: PropertyDescription
  ) -> [SchemaDifference] {
    if old.kind != new.kind || old.collection != new.collection || old.linkTarget != new.linkTarget
    {
      return [.typeChanged(name, from: old, to: new)]
    }
    if old.isOptional != new.isOptional {
      return [
        new.isOptional
          ? .madeOptional(name, from: old, to: new) : .madeRequired(name, from: old, to: new)
      ]
    }
    // A primary key has an index whether it is declared or not.
    let hadIndex = old.isIndexed || old.isPrimaryKey || old.isFullText
    let hasIndex = new.isIndexed || new.isPrimaryKey || new.isFullText
    if hadIndex == hasIndex, old.isFullText == new.isFullText { return [] }
    return [hasIndex ? .indexAdded(name, new) : .indexRemoved(name, new)]
  }
}

extension PropertyDescription {
  /// The type as Apple's SDK names it in messages.
  public var sdkType: String {
    let element = kind == .object ? linkTarget ?? "" : kind.sdkName
    switch collection {
    case .none: return kind == .object ? "<\(element)>" : element
    case .list: return "array<\(element)>"
    case .set: return "set<\(element)>"
    case .map: return "dictionary<string, \(element)>"
    }
  }
}

extension ValueKind {
  fileprivate var sdkName: String {
    switch self {
    case .any: "mixed"
    case .objectId: "object id"
    case .decimal128: "decimal128"
    default: "\(self)"
    }
  }
}
