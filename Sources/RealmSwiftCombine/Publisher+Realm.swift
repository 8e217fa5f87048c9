#if Publishers
  public import OpenCombine
  public import RealmSwift

  extension Publisher {
    /// Publishes frozen views of what the publisher before it does, which any thread may use.
    public func freeze<T>() -> Publishers.Map<Self, T> where Output: ThreadConfined, T == Output {
      map { $0.freeze() }
    }

    /// Publishes the changes of the publisher before it with frozen views of what has changed,
    /// which any thread may use. They are as they were right after the change.
    public func freeze<T>() -> Publishers.Map<Self, T> where Output: _ConfinedChange, T == Output {
      map { change in change._confined.map { change._with($0.freeze()) } ?? change }
    }

    /// What has to come before `receive(on:)` where things that are confined are published.
    public func threadSafeReference() -> RealmPublishers.MakeThreadSafe<Self>
    where Output: ThreadConfined {
      RealmPublishers.MakeThreadSafe(upstream: self)
    }

    /// What has to come before `receive(on:)` where changes of things that are confined are
    /// published.
    public func threadSafeReference() -> RealmPublishers.MakeThreadSafeChange<Self>
    where Output: _ConfinedChange {
      RealmPublishers.MakeThreadSafeChange(upstream: self)
    }
  }
#endif
