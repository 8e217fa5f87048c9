extension Query where T: ProjectionObservable {
  /// What a property of the projection stands for.
  public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
    Query<V>(appending(_names(for: member)))
  }

  /// A collection that a property of the projection stands for.
  public subscript<V: RealmCollectionBase>(dynamicMember member: KeyPath<T, V>) -> Query<V> {
    Query<V>(appending(_names(for: member), isCollection: true))
  }
}

extension RealmCollection where Element: ProjectionObservable {
  /// The projections sorted by the property that the key path leads to.
  public func sorted<Value: _HasPersistedType>(
    by keyPath: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results<Element> where Value.PersistedType: SortableType {
    sorted(by: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
  }

  /// The projections without those that are equal at the key paths to an earlier one.
  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
  where S.Element == PartialKeyPath<Element> {
    distinct(by: keyPaths.map { _name(for: $0) })
  }

  /// The projections sorted by what is at the key path, in sections of those that have the same
  /// there.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    sectioned(
      by: keyPath,
      sortDescriptors: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
  }

  /// The projections sorted by the given criteria, in sections of those that have the same at the
  /// key path.
  ///
  /// - Parameter sortDescriptors: At least one; without, it is a misuse.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    sectioned(by: { $0[keyPath: keyPath] }, sortDescriptors: sortDescriptors)
  }
}
