#if Publishers
  import Dispatch
  public import OpenCombine
  import OpenCombineDispatch
  public import RealmSwift

  /// Publishes what an observer is called with. Each subscription observes by itself, where it was
  /// made or on the queue that `subscribe(on:)` names, and ends with its cancellation.
  ///
  /// Demand is not heeded: a subscriber gets every change. Usually this is had from properties and
  /// functions such as `collectionPublisher`, and named through ``RealmPublishers``.
  public struct RealmPublisher<Output, Failure: Error>: Publisher {
    enum Event {
      case value(Output)
      case finished
      case failed(Failure)
    }

    /// Observes on a queue, or here.
    typealias Start = (DispatchQueue?, @escaping (Event) -> Void) -> NotificationToken

    private let start: Start
    private let queue: DispatchQueue?

    init(on queue: DispatchQueue? = nil, _ start: @escaping Start) {
      self.start = start
      self.queue = queue
    }

    /// Observes, and tells the subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      subscriber.receive(subscription: ObservationSubscription(observe(subscriber)))
    }

    func observe<Downstream: Subscriber>(_ subscriber: Downstream) -> NotificationToken
    where Downstream.Input == Output, Downstream.Failure == Failure {
      start(queue) { event in
        switch event {
        case .value(let value): _ = subscriber.receive(value)
        case .finished: subscriber.receive(completion: .finished)
        case .failed(let error): subscriber.receive(completion: .failure(error))
        }
      }
    }

    /// Observes on another queue, to which what is published is then confined. Comes first in the
    /// chain.
    ///
    /// - Parameter scheduler: A serial dispatch queue.
    public func subscribe<S: Scheduler>(on scheduler: S) -> Self {
      RealmPublisher(on: serialQueue(scheduler, to: "subscribe"), start)
    }

    /// Keeps the token of each observation in a property, so that writes can leave its observer
    /// out: `realm.write(withoutNotifying: [token])`.
    public func saveToken<Parent>(
      on object: Parent, at keyPath: WritableKeyPath<Parent, NotificationToken?>
    ) -> RealmPublishers.WithToken<Output, Failure, Parent> {
      RealmPublishers.WithToken(self, object, keyPath)
    }
  }

  extension RealmPublisher where Output == Void {
    /// As `saveToken(on:at:)`, in the words that Apple's SDK has for realms.
    public func saveToken<Parent>(
      on object: Parent, for keyPath: WritableKeyPath<Parent, NotificationToken?>
    ) -> RealmPublishers.WithToken<Output, Failure, Parent> {
      saveToken(on: object, at: keyPath)
    }
  }

  extension RealmPublisher where Output: ThreadConfined {
    /// Hands what is published over to a queue. It arrives there some time after the realm that it
    /// comes from has moved on; `subscribe(on:)` observes where it is used, which is mostly better.
    ///
    /// - Parameter scheduler: A serial dispatch queue.
    public func receive<S: Scheduler>(on scheduler: S) -> RealmPublishers.Handover<Self, S> {
      RealmPublishers.Handover(self, scheduler)
    }
  }

  extension RealmPublisher where Output: _ConfinedChange {
    /// Hands what is published over to a queue; see `RealmPublishers.Value.receive(on:)`.
    ///
    /// - Parameter scheduler: A serial dispatch queue.
    public func receive<S: Scheduler>(
      on scheduler: S
    ) -> RealmPublishers.DeferredHandoverChange<Self, S> {
      RealmPublishers.DeferredHandoverChange(self, scheduler)
    }
  }

  /// A subscription to what an observer is called with.
  public struct ObservationSubscription: Subscription {
    private let token: NotificationToken

    init(_ token: NotificationToken) { self.token = token }

    /// Which subscription it is.
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(token) }

    /// Does nothing: every change is published, asked for or not.
    public func request(_ demand: Subscribers.Demand) {}

    /// Ends the observation.
    public func cancel() { token.invalidate() }
  }

  /// The queue that a scheduler is; realms are confined to nothing else that schedules.
  func serialQueue<S: Scheduler>(_ scheduler: S, to purpose: String) -> DispatchQueue {
    if let queue = scheduler as? DispatchQueue { return queue }
    if let wrapped = scheduler as? DispatchQueue.OCombine { return wrapped.queue }
    throwRealmException(
      "Cannot \(purpose) on scheduler \(scheduler): only serial dispatch queues are supported.")
  }
#endif
