extension RealmCollection {
  /// The elements sorted by the given criteria, in sections of those for which the closure returns
  /// the same key.
  ///
  /// - Parameter sortDescriptors: At least one; without, it is a misuse.
  public func sectioned<Key: _Persistable & Hashable>(
    by key: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    if sortDescriptors.isEmpty {
      throwRealmException("There must be at least one SortDescriptor when using SectionedResults.")
    }
    return SectionedResults(sorted(by: sortDescriptors), key)
  }

  /// The elements sorted by the given criteria, in sections of those for which the closure returns
  /// the same key.
  public func sectioned<Key: _Persistable & Hashable>(
    sortDescriptors: [SortDescriptor], _ key: @escaping (Element) -> Key
  ) -> SectionedResults<Key, Element> {
    sectioned(by: key, sortDescriptors: sortDescriptors)
  }

  /// The values sorted, in sections of those for which the closure returns the same key.
  public func sectioned<Key: _Persistable & Hashable>(
    by key: @escaping (Element) -> Key, ascending: Bool = true
  ) -> SectionedResults<Key, Element> where Element.PersistedType: SortableType {
    SectionedResults(sorted(ascending: ascending), key)
  }
}

extension RealmCollection where Element: ObjectBase {
  /// The objects sorted by what is at the key path, in sections of those that have the same there.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    sectioned(
      by: keyPath,
      sortDescriptors: [SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)])
  }

  /// The objects sorted by the given criteria, in sections of those that have the same at the key
  /// path.
  ///
  /// - Parameter sortDescriptors: At least one; without, it is a misuse.
  public func sectioned<Key: _Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    sectioned(by: { $0[keyPath: keyPath] }, sortDescriptors: sortDescriptors)
  }
}
