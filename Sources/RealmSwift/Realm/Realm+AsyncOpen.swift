public import Dispatch
import Synchronization

// Opening realms without waiting for it, in code that is not asynchronous itself.

extension Realm {
  /// Opens a configuration's file in the background. Returns at once.
  ///
  /// - Parameters:
  ///   - callbackQueue: A serial queue, to which the realm will be confined.
  ///   - callback: Called on the queue, with the realm or the `Realm.Error` that stopped it.
  /// - Returns: What calls it off.
  @discardableResult
  public static func asyncOpen(
    configuration: Configuration = .defaultConfiguration, callbackQueue: DispatchQueue = .main,
    callback: @escaping (Result<Realm, any Swift.Error>) -> Void
  ) -> AsyncOpenTask {
    Schedulers.checkSerial(callbackQueue)
    let task = AsyncOpenTask()
    let reply = AsyncOpenReply(call: callback)
    // A serial queue gets a thread also when all threads of the global queues are blocked.
    DispatchQueue(label: "holdfast.opening").async {
      let prepared = Result { try RealmOpening.prepare(configuration) }
      let open = { @Sendable (failure: (any Swift.Error)?) in
        callbackQueue.async {
          if task.isCancelled { return }
          reply.call(
            Result {
              if let failure { throw failure }
              return try withExtendedLifetime(try prepared.get()) {
                try Realm(configuration: configuration, queue: callbackQueue)
              }
            })
        }
      }
      #if Sync
        if let session = (try? prepared.get())?.shared.syncSession {
          let sync = configuration.syncConfiguration
          let isImpatient = sync?.cancelAsyncOpenOnNonFatalErrors ?? false
          return finishing(open) {
            try await session.wait(for: .download, isImpatient: isImpatient)
          }
        }
      #endif
      open(nil)
    }
    return task
  }

  /// An opening that is on its way; see `Realm.asyncOpen(configuration:callbackQueue:callback:)`.
  public struct AsyncOpenTask: Sendable {
    private final class State: Sendable {
      let isCancelled = Atomic<Bool>(false)
    }

    private let state = State()

    var isCancelled: Bool { state.isCancelled.load(ordering: .acquiring) }

    /// Calls the opening off: the callback, if it was not called yet, never will be. From any
    /// thread; on the callback's queue nothing is called afterwards.
    public func cancel() { state.isCancelled.store(true, ordering: .releasing) }
  }
}

private struct AsyncOpenReply: @unchecked Sendable {
  // Made by the caller, called once on the queue that the caller names for it.
  let call: (Result<Realm, any Swift.Error>) -> Void
}
