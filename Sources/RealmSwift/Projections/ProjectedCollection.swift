public import Dispatch

/// What a property of the objects of a collection is, for each of them: live, as the collection is.
///
/// Made by `projectTo`: `person.friends.projectTo.name`.
public struct ProjectedCollection<Element>: RandomAccessCollection, ThreadConfined,
  CustomStringConvertible
{
  let source: ProjectionSource<Element>

  /// How many objects the collection has.
  public var count: Int { source.count() }
  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  /// The index after the last element: the count.
  public var endIndex: Int { count }
  /// The next index.
  public func index(after index: Int) -> Int { index + 1 }
  /// The index before.
  public func index(before index: Int) -> Int { index - 1 }

  /// The property of the object at the index, which must be below `count`.
  public subscript(index: Int) -> Element {
    get {
      checkIndex(index, below: count)
      return source.value(index)
    }
    nonmutating set {
      checkIndex(index, below: count)
      source.setValue(index, newValue)
    }
  }

  /// The realm that it belongs to.
  public var realm: Realm? { source.collection.realm }
  /// Whether it can no longer be used, because its realm was invalidated or its object deleted.
  public var isInvalidated: Bool { source.collection.isInvalidated }
  /// Whether it is frozen: it never changes and can be used on any thread.
  public var isFrozen: Bool { source.collection.isFrozen }
  /// An immutable view at the present version, usable on any thread.
  public func freeze() -> Self { Self(source: source.frozen()) }
  /// The live counterpart of something frozen, which belongs to the caller's thread; nil if the
  /// object that it comes from was deleted.
  public func thaw() -> Self? { source.thawed().map { Self(source: $0) } }

  /// The values, one per line.
  public var description: String {
    let lines = enumerated().map { index, value in "\t[\(index)] \(value)" }
    return "ProjectedCollection<\(Element.self)> (\n" + lines.joined(separator: ",\n") + "\n)"
  }

  /// Calls the block with the collection as it is, then after each change, until the token is
  /// dropped.
  ///
  /// - Parameters:
  ///   - keyPaths: What counts as a modification of an object; nil for what is projected.
  ///   - queue: A serial queue to be called on, with a collection that is confined to it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<ProjectedCollection<Element>>) -> Void
  ) -> NotificationToken {
    source.observe(keyPaths, queue) { change in
      switch change {
      case .initial(let source): block(.initial(ProjectedCollection(source: source)))
      case .update(let source, let deletions, let insertions, let modifications):
        block(
          .update(
            ProjectedCollection(source: source), deletions: deletions, insertions: insertions,
            modifications: modifications))
      case .error(let error): block(.error(error))
      }
    }
  }
}

extension ProjectedCollection where Element: Equatable {
  /// The position of the first object whose property has that value, nil if there is none.
  public func index(of value: Element) -> Int? { firstIndex(of: value) }
}

/// Whose members are those of a collection's objects, for the whole collection at once.
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase & RealmCollectionValue> {
  private let collection: ProjectableCollection<Element>

  init<C: RealmCollection>(_ collection: C) where C.Element == Element {
    self.collection = Projectable(collection)
  }

  /// The property of all objects.
  public subscript<Value>(
    dynamicMember keyPath: KeyPath<Element, Value>
  ) -> ProjectedCollection<Value> {
    KeyPathRecorder.follow(keyPath, on: Element.self)
    return ProjectedCollection(source: collection.source(keyPath))
  }
}

extension List where Element: ObjectBase {
  /// A property of all objects of the list at once: `person.friends.projectTo.name`.
  public var projectTo: CollectionElementMapper<Element> { CollectionElementMapper(self) }
}
