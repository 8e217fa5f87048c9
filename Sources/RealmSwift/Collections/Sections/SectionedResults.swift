public import Dispatch
public import Foundation

/// What sectioned results and single sections have in common.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined
where Index == Int {
  /// Calls the block with the sections as they are, then after each change, until the token is
  /// dropped.
  func observe(
    keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken
}

extension RealmSectionedResult {
  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  /// The index after the last element: the count.
  public var endIndex: Int { count }
  /// The next index.
  public func index(after index: Int) -> Int { index + 1 }
  /// The index before.
  public func index(before index: Int) -> Int { index - 1 }
}

/// The elements of a collection in sections: those with the same key are together. Live, as results
/// are: after a refresh or a change the sections are those of what is there then.
///
///     for section in realm.objects(Dog.self).sectioned(by: \.breed) {
///       print(section.key, section.count)
///     }
///
/// Sections stand in the order of their first elements.
public struct SectionedResults<
  Key: _Persistable & Hashable, SectionElement: RealmCollectionValue
>: RealmSectionedResult {
  /// A section.
  public typealias Element = ResultsSection<Key, SectionElement>

  let table: SectionTable<Key, SectionElement>

  init(_ results: Results<SectionElement>, _ key: @escaping (SectionElement) -> Key) {
    table = SectionTable(results, key)
  }

  /// The keys of all sections, in their order.
  public var allKeys: [Key] { table.division.keys }

  /// How many sections there are.
  public var count: Int { table.division.keys.count }

  /// The section at the index, which must be below `count`.
  public subscript(index: Int) -> ResultsSection<Key, SectionElement> {
    let keys = table.division.keys
    checkIndex(index, below: keys.count)
    return ResultsSection(table, keys[index])
  }

  /// The element at a position within a section.
  public subscript(indexPath: IndexPath) -> SectionElement {
    self[indexPath.section][indexPath.item]
  }

  /// An iterator over what is there now.
  public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
    SectionedResultsIterator(self)
  }

  /// The realm that it belongs to.
  public var realm: Realm? { table.results.realm }
  /// Whether it can no longer be used, because its realm was invalidated or its object deleted.
  public var isInvalidated: Bool { table.results.isInvalidated }
  /// Whether it is frozen: it never changes and can be used on any thread.
  public var isFrozen: Bool { table.results.isFrozen }
  /// An immutable view at the present version, usable on any thread.
  public func freeze() -> Self { Self(table.results.freeze(), table.key) }
  /// The live counterpart of something frozen, which belongs to the caller's thread; nil if the
  /// object that it comes from was deleted.
  public func thaw() -> Self? { table.results.thaw().map { Self($0, table.key) } }

  /// Whether both are sections of the same results.
  public static func == (left: Self, right: Self) -> Bool {
    left.table === right.table || left.table.results == right.table.results
  }
}

/// One section of sectioned results: the elements that have its key, live. A section that has no
/// element any more is empty.
public struct ResultsSection<
  Key: _Persistable & Hashable, T: RealmCollectionValue
>: RealmSectionedResult, Identifiable {
  /// An element of the section.
  public typealias Element = T

  let table: SectionTable<Key, T>
  /// What the elements have in common.
  public let key: Key

  init(_ table: SectionTable<Key, T>, _ key: Key) {
    self.table = table
    self.key = key
  }

  /// The section's key.
  public var id: Key { key }

  private var rows: [Int] {
    let division = table.division
    return division.section(of: key).map { division.rows[$0] } ?? []
  }

  /// How many elements the section has.
  public var count: Int { rows.count }

  /// The element at the index, which must be below `count`.
  public subscript(index: Int) -> T {
    let rows = rows
    checkIndex(index, below: rows.count)
    return table.results[rows[index]]
  }

  /// An iterator over what is there now.
  public func makeIterator() -> SectionIterator<T> {
    SectionIterator(table.results, rows: rows)
  }

  /// The realm that it belongs to.
  public var realm: Realm? { table.results.realm }
  /// Whether it can no longer be used, because its realm was invalidated or its object deleted.
  public var isInvalidated: Bool { table.results.isInvalidated }
  /// Whether it is frozen: it never changes and can be used on any thread.
  public var isFrozen: Bool { table.results.isFrozen }

  /// An immutable view at the present version, usable on any thread.
  public func freeze() -> Self {
    ResultsSection(SectionTable(table.results.freeze(), table.key), key)
  }

  /// The live counterpart of something frozen, which belongs to the caller's thread; nil if the
  /// object that it comes from was deleted.
  public func thaw() -> Self? {
    table.results.thaw().map { ResultsSection(SectionTable($0, table.key), key) }
  }

  /// Whether both are the same section of the same results.
  public static func == (left: Self, right: Self) -> Bool {
    left.key == right.key
      && (left.table === right.table || left.table.results == right.table.results)
  }
}

/// Goes through sections as they were when it was made.
public struct SectionedResultsIterator<
  Key: _Persistable & Hashable, SectionElement: RealmCollectionValue
>: IteratorProtocol {
  private let table: SectionTable<Key, SectionElement>
  private var keys: IndexingIterator<[Key]>

  init(_ sections: SectionedResults<Key, SectionElement>) {
    table = sections.table
    keys = sections.allKeys.makeIterator()
  }

  /// The next element; nil after the last one.
  public mutating func next() -> ResultsSection<Key, SectionElement>? {
    keys.next().map { ResultsSection(table, $0) }
  }
}

/// Goes through the elements that a section had when it was made.
public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
  private var elements: RLMIterator<Element>

  init(_ results: Results<Element>, rows: [Int]) {
    elements = results._collection.iterator(of: Element.self, at: rows)
  }

  /// The next element; nil after the last one.
  public mutating func next() -> Element? { elements.next() }
}

/// The older name of `SectionedResultsIterator`.
public typealias RLMSectionedResultsIterator = SectionedResultsIterator
/// The older name of `SectionIterator`.
public typealias RLMSectionIterator = SectionIterator
