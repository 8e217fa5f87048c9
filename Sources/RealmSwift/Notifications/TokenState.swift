/// What a token stands for: an observer here, or one that is set up, or still to be, somewhere
/// else.
///
/// A state machine without a lock; `NotificationToken` keeps it behind one. `Inner` is the token of
/// what was set up elsewhere.
package struct TokenState<Observer, Inner> {
  package enum Meaning {
    case observer(Observer)
    case inner(Inner)
    /// It will begin with what is there then.
    case pending
    case nothing
  }

  /// Mistakes that the tests' enumeration has to find.
  package enum Fault: CaseIterable {
    /// A write on a queue cannot name a token of an observation that is yet to be set up there.
    case knowsNothingBeforeSetUp
    /// ... nor one that was.
    case knowsOwnObserversOnly
    case startsAfterInvalidation
    case goesOnAfterInvalidation
  }

  package var fault: Fault?
  private var observer: Observer?
  private var inner: Inner?
  private var isInvalidated = false

  /// - Parameter observer: nil for one that is to be set up elsewhere.
  package init(_ observer: Observer?) { self.observer = observer }

  package var meaning: Meaning {
    if let observer { return .observer(observer) }
    if let inner { return fault == .knowsOwnObserversOnly ? .nothing : .inner(inner) }
    return isInvalidated || fault == .knowsNothingBeforeSetUp ? .nothing : .pending
  }

  /// It was set up. False if that is too late: it has to be ended.
  package mutating func attach(_ inner: Inner) -> Bool {
    if isInvalidated { return fault == .startsAfterInvalidation }
    self.inner = inner
    return true
  }

  /// What has to be ended, and whether there was anything to be.
  package mutating func invalidate() -> (observer: Observer?, inner: Inner?, wasActive: Bool) {
    defer { (observer, inner, isInvalidated) = (nil, nil, true) }
    return (observer, fault == .goesOnAfterInvalidation ? nil : inner, !isInvalidated)
  }
}
