import Platform
import Synchronization

/// Keeps an observer going: delivery stops when the token is invalidated or dropped.
public final class NotificationToken: Sendable {
  private struct State {
    var observer: Observer?
    var inner: NotificationToken?
    var isInvalidated = false
  }

  private let state: LockedValue<State>

  init(_ observer: Observer) { state = LockedValue(State(observer: observer)) }

  /// A token for an observer that is still to be set up somewhere else.
  package init() { state = LockedValue(State()) }

  deinit { invalidate() }

  /// Stops delivery. From any thread; on the observer's own, nothing is delivered afterwards.
  ///
  /// - Returns: whether this stopped anything.
  @discardableResult
  public func invalidate() -> Bool {
    let (observer, inner, wasActive) = state.withLock { state in
      defer { state = State(isInvalidated: true) }
      return (state.observer, state.inner, !state.isInvalidated)
    }
    observer?.cancel()
    inner?.invalidate()
    return wasActive
  }

  /// What the token stands for was set up; nothing if the token was invalidated meanwhile.
  func attach(_ token: NotificationToken) {
    let isTooLate = state.withLock { state in
      if !state.isInvalidated { state.inner = token }
      return state.isInvalidated
    }
    if isTooLate { token.invalidate() }
  }

  /// The observer in the given instance that this token keeps, if it is one there.
  func observer(in instance: _RealmInstance) -> Observer? {
    let (observer, inner) = state.withLock { ($0.observer, $0.inner) }
    if let inner { return inner.observer(in: instance) }
    return observer?.instance === instance ? observer : nil
  }

  /// Whether the observer is still to be set up, on its queue: it will begin with what is there
  /// then.
  var isPending: Bool {
    state.withLock { !$0.isInvalidated && $0.observer == nil && $0.inner == nil }
  }
}

extension NotificationToken: Hashable {
  /// Whether both are the same token.
  public static func == (left: NotificationToken, right: NotificationToken) -> Bool {
    left === right
  }

  /// Hashes which token this is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
