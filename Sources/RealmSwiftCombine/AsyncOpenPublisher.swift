#if Publishers
  import Dispatch
  public import OpenCombine
  import OpenCombineDispatch
  public import RealmSwift

  extension RealmPublishers {
    /// Publishes a realm once it is open.
    public struct AsyncOpenPublisher: Publisher {
      /// The realm.
      public typealias Output = Realm
      /// The `Realm.Error` that kept it from being opened.
      public typealias Failure = any Error

      let configuration: Realm.Configuration
      var queue = DispatchQueue.main

      /// Opens the realm for the subscriber.
      public func receive<Downstream: Subscriber>(subscriber: Downstream)
      where Downstream.Input == Realm, Downstream.Failure == any Error {
        let task = Realm.asyncOpen(configuration: configuration, callbackQueue: queue) { result in
          switch result {
          case .success(let realm):
            _ = subscriber.receive(realm)
            subscriber.receive(completion: .finished)
          case .failure(let error): subscriber.receive(completion: .failure(error))
          }
        }
        subscriber.receive(subscription: AsyncOpenSubscription(task: task))
      }

      /// Opens the realm for a queue.
      ///
      /// - Parameter scheduler: A serial dispatch queue, to which the realm is then confined.
      public func receive<S: Scheduler>(on scheduler: S) -> Self {
        AsyncOpenPublisher(
          configuration: configuration, queue: serialQueue(scheduler, to: "receive"))
      }
    }
  }

  /// A subscription to the opening of a realm.
  public struct AsyncOpenSubscription: Subscription {
    /// Which subscription it is.
    public let combineIdentifier = CombineIdentifier()
    let task: Realm.AsyncOpenTask

    /// Does nothing: there is one value, and it comes.
    public func request(_ demand: Subscribers.Demand) {}

    /// Calls the opening off.
    public func cancel() { task.cancel() }
  }

  extension Realm {
    /// Opens a configuration's file in the background for each subscriber.
    public static func asyncOpen(
      configuration: Realm.Configuration = .defaultConfiguration
    ) -> RealmPublishers.AsyncOpenPublisher {
      RealmPublishers.AsyncOpenPublisher(configuration: configuration)
    }
  }
#endif
