import ObjectStore

// Queries that start from a collection: each gives live results.

extension RealmCollection {
  /// The elements sorted by several criteria, most significant first. Nil comes first in ascending
  /// order; what is behind a link to nothing comes last.
  public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
  where S.Element == SortDescriptor {
    guard let collection = _queriedCollection else { return Results(nil) }
    let keys = sortDescriptors.map {
      SortKey(collection.path($0.keyPath), ascending: $0.ascending)
    }
    return Results(collection.with { $0.append(.sort(keys)) })
  }

  /// The elements without those that are equal at the key paths to an earlier one, and without
  /// those for which a link on a key path leads to nothing.
  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
  where S.Element == String {
    guard let collection = _queriedCollection else { return Results(nil) }
    let paths = keyPaths.map { collection.path($0) }
    return Results(collection.with { $0.append(.distinct(paths)) })
  }

  /// The values sorted.
  public func sorted(ascending: Bool = true) -> Results<Element>
  where Element.PersistedType: SortableType {
    Results(_queriedCollection?.with { $0.append(.sort([SortKey([], ascending: ascending)])) })
  }

  /// The values, each of them once.
  public func distinct() -> Results<Element> {
    Results(_queriedCollection?.with { $0.append(.distinct([[]])) })
  }
}

extension RealmCollection where Element: KeypathSortable {
  /// The objects sorted by what is at the key path, which may cross links to one object.
  public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
    sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
  }
}

extension RealmCollection where Element: ObjectBase {
  /// The objects sorted by the property that the key path leads to.
  public func sorted<Value: _HasPersistedType>(
    by keyPath: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results<Element> where Value.PersistedType: SortableType {
    sorted(by: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
  }

  /// The objects without those that are equal at the key paths to an earlier one.
  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
  where S.Element == PartialKeyPath<Element> {
    distinct(by: keyPaths.map { _name(for: $0) })
  }
}

extension SortDescriptor {
  /// By the property that the key path leads to.
  public init<Root: ObjectBase>(keyPath: PartialKeyPath<Root>, ascending: Bool = true) {
    self.init(keyPath: _name(for: keyPath), ascending: ascending)
  }
}

extension _ManagedCollection {
  /// The way that a dotted key path describes, with the names that the file has. `self` is the
  /// element.
  func path(_ keyPath: String) -> QueryPath {
    if keyPath == "self" || keyPath.isEmpty { return [] }
    guard let binding else {
      throwRealmException("Cannot follow key path '\(keyPath)': the elements are no objects.")
    }
    return QueryPath(keyPath, from: binding, in: instance)
  }
}

extension QueryPath {
  /// The way that a dotted key path of Swift names describes, with the names that the file has.
  init(_ keyPath: String, from start: TableBinding, in instance: _RealmInstance) {
    var steps: [Step] = []
    var binding: TableBinding? = start
    for name in keyPath.split(separator: ".").map(String.init) {
      guard let current = binding else {
        throwRealmException(
          "Cannot follow key path '\(keyPath)': '\(name)' is beyond a property that is no link.")
      }
      guard let property = current.info.property(named: name) else {
        throwRealmException(
          "Cannot follow key path '\(keyPath)': property '\(current.info.name).\(name)' not found; "
            + "there are \(current.info.propertyNames).")
      }
      if property.description.type == .linkingObjects {
        let origin = instance.requiredBinding(ofTargetOf: property, from: current)
        let column = origin.info.property(named: property.originProperty ?? "")?.columnName
        steps.append(.backlinks(className: origin.info.name, property: column ?? ""))
      } else {
        steps.append(.property(property.columnName))
      }
      binding =
        property.description.target == nil
        ? nil : instance.requiredBinding(ofTargetOf: property, from: current)
    }
    self.init(steps)
  }
}
