#if Publishers
  public import OpenCombine
  import Dispatch
  public import RealmSwift

  // Passing what is published from where it was observed to another queue.

  /// A change that names what has changed.
  public protocol _ConfinedChange {
    /// What it names.
    associatedtype Confined: ThreadConfined
    /// What has changed, nil if it is gone.
    var _confined: Confined? { get }
    /// The same change of another view of that.
    func _with(_ confined: Confined) -> Self
  }

  extension ObjectChange: _ConfinedChange where T: ThreadConfined {
    public var _confined: T? { if case .change(let object, _) = self { object } else { nil } }
    public func _with(_ confined: T) -> ObjectChange {
      guard case .change(_, let properties) = self else { return self }
      return .change(confined, properties)
    }
  }

  extension RealmCollectionChange: _ConfinedChange where CollectionType: ThreadConfined {
    public var _confined: CollectionType? {
      switch self {
      case .initial(let collection), .update(let collection, _, _, _): collection
      case .error: nil
      }
    }
    public func _with(_ confined: CollectionType) -> RealmCollectionChange {
      switch self {
      case .initial: .initial(confined)
      case .update(_, let deletions, let insertions, let modifications):
        .update(
          confined, deletions: deletions, insertions: insertions, modifications: modifications)
      case .error: self
      }
    }
  }

  extension RealmMapChange: _ConfinedChange {
    public var _confined: Collection? {
      switch self {
      case .initial(let map), .update(let map, _, _, _): map
      case .error: nil
      }
    }
    public func _with(_ confined: Collection) -> RealmMapChange {
      switch self {
      case .initial: .initial(confined)
      case .update(_, let deletions, let insertions, let modifications):
        .update(
          confined, deletions: deletions, insertions: insertions, modifications: modifications)
      case .error: self
      }
    }
  }

  extension SectionedResultsChange: _ConfinedChange where Collection: ThreadConfined {
    public var _confined: Collection? {
      switch self {
      case .initial(let sections), .update(let sections, _, _, _, _, _): sections
      }
    }
    public func _with(_ confined: Collection) -> SectionedResultsChange {
      guard
        case .update(
          _, let deletions, let insertions, let modifications, let inserted, let deleted) = self
      else { return .initial(confined) }
      return .update(
        confined, deletions: deletions, insertions: insertions, modifications: modifications,
        sectionsToInsert: inserted, sectionsToDelete: deleted)
    }
  }

  /// Something confined on its way to a queue: a reference where it is live, itself where it
  /// belongs to no queue.
  private struct Parcel<Confined: ThreadConfined> {
    private let reference: ThreadSafeReference<Confined>?
    private let configuration: Realm.Configuration?
    private let unconfined: Confined?

    init(_ confined: Confined) {
      if let realm = confined.realm, !confined.isFrozen {
        reference = ThreadSafeReference(to: confined)
        configuration = realm.configuration
        unconfined = nil
      } else {
        reference = nil
        configuration = nil
        unconfined = confined
      }
    }

    /// On the queue: the live thing there, nil if it was deleted.
    func open(on queue: DispatchQueue?) -> Confined? {
      guard let reference, let configuration else { return unconfined }
      guard let realm = try? Realm(configuration: configuration, queue: queue) else { return nil }
      return realm.resolve(reference)
    }
  }

  /// Schedules work on a queue in the order in which it comes.
  private struct Forwarder<Downstream: Subscriber, S: Scheduler> {
    let subscriber: Downstream
    let scheduler: S

    private var queue: DispatchQueue? {
      scheduler as? DispatchQueue ?? (scheduler as? DispatchQueue.OCombine)?.queue
    }

    /// - Parameter make: on the queue; nil for what is gone by then.
    func send(_ make: @escaping (DispatchQueue?) -> Downstream.Input?) {
      let queue = queue
      scheduler.schedule {
        if let value = make(queue) { _ = subscriber.receive(value) }
      }
    }

    func complete(_ completion: Subscribers.Completion<Downstream.Failure>) {
      scheduler.schedule { subscriber.receive(completion: completion) }
    }
  }

  extension RealmPublishers {
    /// Hands what is confined over to a serial queue. What was deleted on the way is left out.
    public final class Handover<Upstream: Publisher, S: Scheduler>: Publisher
    where Upstream.Output: ThreadConfined {
      /// What is handed over.
      public typealias Output = Upstream.Output
      /// How the publisher before it fails.
      public typealias Failure = Upstream.Failure

      private let upstream: Upstream
      private let scheduler: S

      init(_ upstream: Upstream, _ scheduler: S) {
        _ = serialQueue(scheduler, to: "receive")
        self.upstream = upstream
        self.scheduler = scheduler
      }

      /// Subscribes to the publisher before it.
      public func receive<Downstream: Subscriber>(subscriber: Downstream)
      where Downstream.Input == Output, Downstream.Failure == Failure {
        let forwarder = Forwarder(subscriber: subscriber, scheduler: scheduler)
        upstream.map { Parcel($0) }.receive(
          subscriber: Relay(subscriber) { parcel in
            forwarder.send { parcel.open(on: $0) }
          } completion: {
            forwarder.complete($0)
          })
      }
    }

    /// Hands changes over to a serial queue, with what has changed. Where that was deleted on the
    /// way the change is left out.
    public final class DeferredHandoverChange<Upstream: Publisher, S: Scheduler>: Publisher
    where Upstream.Output: _ConfinedChange {
      /// What is handed over.
      public typealias Output = Upstream.Output
      /// How the publisher before it fails.
      public typealias Failure = Upstream.Failure

      private let upstream: Upstream
      private let scheduler: S

      init(_ upstream: Upstream, _ scheduler: S) {
        _ = serialQueue(scheduler, to: "receive")
        self.upstream = upstream
        self.scheduler = scheduler
      }

      /// Subscribes to the publisher before it.
      public func receive<Downstream: Subscriber>(subscriber: Downstream)
      where Downstream.Input == Output, Downstream.Failure == Failure {
        let forwarder = Forwarder(subscriber: subscriber, scheduler: scheduler)
        upstream.map { change in (change, change._confined.map { Parcel($0) }) }.receive(
          subscriber: Relay(subscriber) { change, parcel in
            forwarder.send { queue in
              guard let parcel else { return change }
              return parcel.open(on: queue).map { change._with($0) }
            }
          } completion: {
            forwarder.complete($0)
          })
      }
    }

    /// Publishes what the publisher before it does; `receive(on:)` hands it over.
    public struct MakeThreadSafe<Upstream: Publisher>: Publisher
    where Upstream.Output: ThreadConfined {
      /// What is published.
      public typealias Output = Upstream.Output
      /// How the publisher before it fails.
      public typealias Failure = Upstream.Failure

      let upstream: Upstream

      /// Subscribes to the publisher before it.
      public func receive<Downstream: Subscriber>(subscriber: Downstream)
      where Downstream.Input == Output, Downstream.Failure == Failure {
        upstream.receive(subscriber: subscriber)
      }

      /// Hands what is published over to a serial queue.
      public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandover<Upstream, S> {
        Handover(upstream, scheduler)
      }
    }

    /// Publishes what the publisher before it does; `receive(on:)` hands it over.
    public struct MakeThreadSafeChange<Upstream: Publisher>: Publisher
    where Upstream.Output: _ConfinedChange {
      /// What is published.
      public typealias Output = Upstream.Output
      /// How the publisher before it fails.
      public typealias Failure = Upstream.Failure

      let upstream: Upstream

      /// Subscribes to the publisher before it.
      public func receive<Downstream: Subscriber>(subscriber: Downstream)
      where Downstream.Input == Output, Downstream.Failure == Failure {
        upstream.receive(subscriber: subscriber)
      }

      /// Hands what is published over to a serial queue.
      public func receive<S: Scheduler>(on scheduler: S) -> DeferredHandoverChange<Upstream, S> {
        DeferredHandoverChange(upstream, scheduler)
      }
    }
  }

  /// Passes subscriptions on as they are, values and completions to closures.
  private struct Relay<Input, Downstream: Subscriber>: Subscriber {
    typealias Failure = Downstream.Failure

    let combineIdentifier = CombineIdentifier()
    private let downstream: Downstream
    private let value: (Input) -> Void
    private let completion: (Subscribers.Completion<Failure>) -> Void

    init(
      _ downstream: Downstream, _ value: @escaping (Input) -> Void,
      completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
      self.downstream = downstream
      self.value = value
      self.completion = completion
    }

    func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

    func receive(_ input: Input) -> Subscribers.Demand {
      value(input)
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) { self.completion(completion) }
  }
#endif
