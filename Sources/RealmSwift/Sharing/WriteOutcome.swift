import ObjectStore
import Platform
import Storage

/// What became of a write transaction, for references to what was changed within it. They may be
/// resolved on any thread, at any time.
final class WriteOutcome: Sendable {
  private enum State {
    case open
    case committed(version: Version)
    case cancelled(firstNewKeys: [TableKey: ObjectKey])
  }

  /// An object by which something is found.
  typealias Place = (table: TableKey, object: ObjectKey)

  private let state = LockedValue(State.open)

  func commit(version: Version) { state.withLock { $0 = .committed(version: version) } }

  /// Before others write, whose objects may get the keys. What is committed stays so.
  func cancel(firstNewKeys: [TableKey: ObjectKey]) {
    state.withLock { state in
      if case .open = state { state = .cancelled(firstNewKeys: firstNewKeys) }
    }
  }

  /// The oldest version that has what the transaction changed; the newest there is, while nobody
  /// knows.
  func version(since base: Version) -> Version {
    state.withLock { state in
      switch state {
      case .open: .max
      case .committed(let version): version
      case .cancelled: base
      }
    }
  }

  /// Whether the object was made in the transaction, and undone. Its key may be another's now.
  func isUndone(_ place: Place) -> Bool {
    state.withLock { state in
      guard case .cancelled(let firstNewKeys) = state, let first = firstNewKeys[place.table] else {
        return false
      }
      return place.object >= first
    }
  }
}
