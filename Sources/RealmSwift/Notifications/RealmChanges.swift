// Changes as sequences: `for await change in results.changes`.

/// The changes of a collection or an object, one after the other, as long as somebody asks.
///
///     for await change in realm.objects(Person.self).changes {
///       ...
///     }
///
/// Each loop observes for itself and gets what observers get: for a collection first `.initial`.
/// While the loop's body runs, changes are gathered; the next one covers all of them. It belongs to
/// the actor that the collection or object is confined to, and the loop has to run there. It ends
/// when the object is deleted or the task cancelled.
public struct RealmChanges<Change>: AsyncSequence {
  /// What the sequence gives: ``RealmCollectionChange`` or ``ObjectChange``.
  public typealias Element = Change
  /// The sequence does not throw; errors are among the changes.
  public typealias Failure = Never

  let start: (_ handler: @escaping (Change) -> Void) -> (NotificationToken, Observer)
  let isLast: (Change) -> Bool

  /// Begins to observe. The iterator's end ends the observation.
  public func makeAsyncIterator() -> Iterator { Iterator(feed: ChangeFeed(self)) }

  /// One observation, from the loop's beginning to its end.
  public struct Iterator: AsyncIteratorProtocol {
    let feed: ChangeFeed<Change>

    /// The next change; nil when there will be none.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
      await feed.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension RealmChanges: Sendable {}

@available(*, unavailable)
extension RealmChanges.Iterator: Sendable {}

/// Between an observer and the loop that waits for it. Both are in one place.
final class ChangeFeed<Change> {
  private let token: NotificationToken
  private let observer: Observer
  private let inbox: Inbox
  private let signal = TaskSignal()

  private final class Inbox {
    var changes: [Change] = []
    var isFinished = false
  }

  init(_ sequence: RealmChanges<Change>) {
    let inbox = Inbox()
    let signal = signal
    let isPaused = PauseSwitch()
    let isLast = sequence.isLast
    let (token, observer) = sequence.start { change in
      inbox.changes.append(change)
      if isLast(change) { inbox.isFinished = true }
      isPaused.observer?.state.isPaused = true
      signal.signal()
    }
    isPaused.observer = observer
    self.inbox = inbox
    self.token = token
    self.observer = observer
  }

  private final class PauseSwitch {
    weak var observer: Observer?
  }

  deinit { token.invalidate() }

  func next(isolation actor: isolated (any Actor)?) async -> Change? {
    observer.instance.checkThread()
    while true {
      if Task.isCancelled { return nil }
      if !inbox.changes.isEmpty { return inbox.changes.removeFirst() }
      if inbox.isFinished { return nil }
      if observer.state.isPaused {
        observer.state.isPaused = false
        observer.instance.scheduleTurn()
      }
      await signal.wait(isolation: actor)
    }
  }
}

extension RealmCollection {
  /// The collection as it is, then its changes.
  public var changes: RealmChanges<RealmCollectionChange<Self>> { changes(keyPaths: nil) }

  /// The collection as it is, then its changes.
  ///
  /// - Parameter keyPaths: What counts as a modification of an element.
  public func changes(keyPaths: [String]?) -> RealmChanges<RealmCollectionChange<Self>> {
    RealmChanges { handler in
      let token = self.observe(keyPaths: keyPaths, handler)
      return (token, token.observer(in: self._collection.instance)!)
    } isLast: { _ in
      false
    }
  }
}

extension _LinkableObject {
  /// The changes of the object, until it is deleted.
  public var changes: RealmChanges<ObjectChange<Self>> { changes(keyPaths: nil) }

  /// The changes of the object, until it is deleted.
  ///
  /// - Parameter keyPaths: The properties that count; nil or none for all of the object itself.
  public func changes(keyPaths: [String]?) -> RealmChanges<ObjectChange<Self>> {
    RealmChanges { handler in
      let token = self._observe(keyPaths: keyPaths, on: nil) { (change: ObjectChange<Self>) in
        handler(change)
      }
      return (token, token.observer(in: self._instance!)!)
    } isLast: { change in
      if case .change = change { false } else { true }
    }
  }
}
