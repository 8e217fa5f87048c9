import Platform
import Synchronization

/// Keeps an observer going: delivery stops when the token is invalidated or dropped.
public final class NotificationToken: Sendable {
  private let state: LockedValue<TokenState<Observer, NotificationToken>>

  init(_ observer: Observer) { state = LockedValue(TokenState(observer)) }

  /// A token for an observer that is still to be set up somewhere else.
  package init() { state = LockedValue(TokenState(nil)) }

  deinit { invalidate() }

  /// Stops delivery. From any thread; on the observer's own, nothing is delivered afterwards.
  ///
  /// - Returns: whether this stopped anything.
  @discardableResult
  public func invalidate() -> Bool {
    let (observer, inner, wasActive) = state.withLock { $0.invalidate() }
    observer?.cancel()
    inner?.invalidate()
    return wasActive
  }

  /// What the token stands for was set up; nothing if the token was invalidated meanwhile.
  func attach(_ token: NotificationToken) {
    if !state.withLock({ $0.attach(token) }) { token.invalidate() }
  }

  /// The observer in the given instance that this token keeps, if it is one there.
  func observer(in instance: _RealmInstance) -> Observer? {
    switch state.withLock({ $0.meaning }) {
    case .observer(let observer): observer.instance === instance ? observer : nil
    case .inner(let token): token.observer(in: instance)
    case .pending, .nothing: nil
    }
  }

  /// Whether a write in the given instance may name it: the observer is one there, or is still to
  /// be set up on its queue, where it will begin with what is there then.
  func canBeNamed(in instance: _RealmInstance) -> Bool {
    switch state.withLock({ $0.meaning }) {
    case .observer(let observer): observer.instance === instance
    case .inner(let token): token.canBeNamed(in: instance)
    case .pending: true
    case .nothing: false
    }
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
