import Platform
import ObjectStore
import Storage
import Synchronization

// Passing what is confined from one thread, queue or actor to another: a reference names the thing
// by keys and pins the version it was taken at, so that the thing can be found again.

/// A reference to an object, list or results that may cross to another thread, where
/// `realm.resolve(_:)` gives the live thing.
///
/// It can be resolved once. Until then, or until it is dropped, it pins the version that it was
/// made at: do not keep it long. One that is made within a write transaction is resolved to what
/// came of it, elsewhere once it is committed.
@frozen
public struct ThreadSafeReference<Confined: ThreadConfined>: Sendable {
  @usableFromInline let box: _HandoverBox

  /// Makes a reference to something managed by a realm.
  public init(to threadConfined: Confined) {
    box = _HandoverBox(threadConfined)
  }

  /// Whether it was resolved already.
  public var isInvalidated: Bool { box.isTaken }

  func resolve(in realm: Realm) -> Confined? {
    box.resolve(in: realm.instance) as? Confined
  }
}

/// What a reference holds until it is resolved.
public final class _HandoverBox: Sendable {
  struct Content: @unchecked Sendable {
    // Handed from one thread to the other: taken out of the box by whoever resolves it. What is
    // needed for that are keys and queries, which are values.
    let shared: SharedRealm
    /// The version at which the thing is known to exist.
    let version: Version
    /// What keeps that version in the file.
    var pin: Snapshot?
    /// The write transaction that it was made in.
    let outcome: WriteOutcome?
    /// The object that has to be there; nil for results of a class.
    let place: WriteOutcome.Place?
    let rebuild: (_RealmInstance) -> (any ThreadConfined)?

    /// With something made from what is found.
    func mapped(_ change: @escaping (any ThreadConfined) -> (any ThreadConfined)?) -> Content {
      Content(
        shared: shared, version: version, pin: pin, outcome: outcome, place: place,
        rebuild: { [rebuild] in rebuild($0).flatMap(change) })
    }

    func withoutPin() -> Content {
      var copy = self
      copy.pin = nil
      return copy
    }

    /// The live counterpart in that instance, nil if there is none any more, or never was since it
    /// is of another file.
    func resolve(in instance: _RealmInstance) -> (any ThreadConfined)? {
      instance.checkThread()
      if instance.isFrozen {
        throwRealmException(
          "Cannot resolve thread safe reference in frozen Realm; resolve it in a live one.")
      }
      guard shared === instance.shared else { return nil }
      if let place, outcome?.isUndone(place) == true { return nil }
      advance(instance, to: outcome?.version(since: version) ?? version)
      return rebuild(instance)
    }

    /// A realm that reads something older moves to what the reference was made at, and no further
    /// where that is pinned.
    private func advance(_ instance: _RealmInstance, to needed: Version) {
      if instance.isInWriteTransaction || instance.version >= needed { return }
      engine { () throws(StorageError) in
        if let pin, pin.version >= needed {
          try instance.advance(to: try pin.duplicate())
        } else {
          _ = try instance.refresh()
        }
      }
    }
  }

  private let content: LockedValue<Content?>

  init<Confined: ThreadConfined>(_ confined: Confined) {
    content = LockedValue(HandoverMaking.content(of: confined))
  }

  var isTaken: Bool { content.withLock { $0 == nil } }

  func resolve(in instance: _RealmInstance) -> (any ThreadConfined)? {
    instance.checkThread()
    let taken = content.withLock { content -> Content? in
      defer { content = nil }
      return content
    }
    guard let taken else {
      throwRealmException(
        "Can only resolve a thread safe reference once; make another one to resolve it again.")
    }
    return taken.resolve(in: instance)
  }
}

/// How the different confined types are named.
enum HandoverMaking {
  static func content<Confined: ThreadConfined>(of confined: Confined) -> _HandoverBox.Content {
    if confined.isInvalidated {
      throwRealmException(
        "Cannot construct reference to invalidated object; look it up again first.")
    }
    if let object = confined as? ObjectBase { return content(of: object) }
    if let projection = confined as? any ProjectionType {
      return content(of: projection.root).mapped(type(of: projection).project)
    }
    if let collection = confined as? RLMSwiftCollectionBase, let accessor = collection.accessor {
      return content(of: accessor, type(of: collection))
    }
    if let derived = confined as? any DerivedFromConfined { return content(of: derived) }
    guard let collection = confined as? any RealmCollection, collection.realm != nil else {
      throwRealmException(
        "Cannot construct reference to unmanaged object; add it to a Realm first.")
    }
    return content(of: collection)
  }

  private static func content<Derived: DerivedFromConfined>(
    of derived: Derived
  ) -> _HandoverBox.Content {
    let rederive = derived.rederive
    return content(of: derived.source).mapped { source in
      (source as? Derived.Source).map(rederive)
    }
  }

  private static func content(
    of accessor: ListAccessor, _ type: RLMSwiftCollectionBase.Type
  ) -> _HandoverBox.Content {
    let counterparts = _ManagedCollection(accessor).counterparts()
    return make(accessor.instance, (accessor.binding.table, accessor.object)) { other in
      let live = counterparts(other)
      return live.isValid ? type._make(live) as? any ThreadConfined : nil
    }
  }

  private static func content(of object: ObjectBase) -> _HandoverBox.Content {
    guard let instance = object._instance else {
      throwRealmException(
        "Cannot construct reference to unmanaged object, which can be passed across threads "
          + "directly")
    }
    let binding = object._binding!
    let key = ObjectKey(rawValue: object._key)
    return make(instance, (binding.table, key)) { other in
      let live = other.object(other.counterpart(of: binding), key)
      return live._isValid ? live as? any ThreadConfined : nil
    }
  }

  private static func content<C: RealmCollection>(of collection: C) -> _HandoverBox.Content {
    let managed = collection._collection
    let place = managed.list.map { ($0.binding.table, $0.object) } ?? managed.target
    let counterparts = managed.counterparts()
    return make(managed.instance, place) { other in
      let live = counterparts(other)
      return live.isValid ? C._make(live) : nil
    }
  }

  private static func make(
    _ instance: _RealmInstance, _ place: WriteOutcome.Place?,
    _ rebuild: @escaping (_RealmInstance) -> (any ThreadConfined)?
  ) -> _HandoverBox.Content {
    instance.checkThread()
    instance.ensureReading()
    let snapshot = engine { () throws(StorageError) in try instance.snapshot!.duplicate() }
    return _HandoverBox.Content(
      shared: instance.shared, version: instance.version, pin: snapshot,
      outcome: instance.writeOutcome(), place: place, rebuild: rebuild)
  }
}

/// What is made from something confined and can be made again from its counterpart elsewhere:
/// sections of results.
protocol DerivedFromConfined: ThreadConfined {
  associatedtype Source: ThreadConfined
  var source: Source { get }
  var rederive: (Source) -> Self { get }
}

extension SectionedResults: DerivedFromConfined {
  var source: Results<SectionElement> { table.results }
  var rederive: (Results<SectionElement>) -> Self {
    { [key = table.key] in SectionedResults($0, key) }
  }
}

extension ResultsSection: DerivedFromConfined {
  var source: Results<T> { table.results }
  var rederive: (Results<T>) -> Self {
    { [function = table.key, key] in ResultsSection(SectionTable($0, function), key) }
  }
}
