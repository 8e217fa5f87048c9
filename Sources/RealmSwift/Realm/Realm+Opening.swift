import Dispatch

// Opening realms from asynchronous code: what may take long happens off the actor.

extension Realm {
  /// Whether a synchronised realm waits for what the server has before it opens. Realms that are
  /// not synchronised open at once, whatever is asked.
  public enum OpenBehavior: Sendable {
    /// Opens with what is there.
    case never
    /// Waits each time.
    case always
    /// Waits when the file does not exist yet.
    case once
  }

  /// Opens a configuration's file for the main actor.
  ///
  /// - Throws: `Realm.Error`, or `CancellationError` when the task was cancelled.
  @MainActor
  public init(
    configuration: Configuration = .defaultConfiguration,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    instance = try await RealmOpening.instance(
      configuration, on: MainActor.shared, downloadBeforeOpen)
  }

  /// Opens a configuration's file for an actor. The realm may be used in everything that is
  /// isolated to the actor, whichever thread serves it.
  ///
  ///     actor Archive {
  ///       var realm: Realm!
  ///       init() async throws { realm = try await Realm(actor: self) }
  ///     }
  ///
  /// - Throws: `Realm.Error`, or `CancellationError` when the task was cancelled.
  public init<A: Actor>(
    configuration: Configuration = .defaultConfiguration, actor: A,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws {
    instance = try await RealmOpening.instance(configuration, on: actor, downloadBeforeOpen)
  }

  /// Opens a configuration's file for the actor that the caller is isolated to.
  ///
  /// - Throws: `Realm.Error`, or `CancellationError` when the task was cancelled.
  public static func open(
    configuration: Configuration = .defaultConfiguration,
    _isolation actor: isolated any Actor = #isolation,
    downloadBeforeOpen: OpenBehavior = .never
  ) async throws -> Realm {
    Realm(
      instance: try await RealmOpening.instance(configuration, on: actor, downloadBeforeOpen))
  }
}

extension RealmOpening {
  /// The actor's instance. The file is opened, and if need be made, brought to the schema and
  /// compacted, by a background thread.
  static func instance(
    _ configuration: Realm.Configuration, on actor: any Actor,
    _ behavior: Realm.OpenBehavior = .never
  ) async throws -> _RealmInstance {
    try Task.checkCancellation()
    var prepared: _RealmInstance?
    #if Sync
      prepared = try await SyncOpening.download(configuration, behavior)
    #endif
    let scheduler = ActorScheduler.scheduler(of: actor)
    if prepared == nil, !isOpen(configuration, scheduler) {
      prepared = try await prepareInBackground(configuration)
    }
    return try await open(configuration, scheduler, on: actor, keeping: prepared)
  }

  // A function of its own: the optimiser of Swift 6.3.1 fails when this is part of `instance`.
  /// - Parameter prepared: keeps the file open until the actor's instance does.
  @inline(never)
  private static func open(
    _ configuration: Realm.Configuration, _ scheduler: any Scheduler,
    on actor: isolated any Actor, keeping prepared: _RealmInstance?
  ) throws -> _RealmInstance {
    try Task.checkCancellation()
    return try withExtendedLifetime(prepared) { try instance(configuration, scheduler) }
  }

  @inline(never)
  static func prepareInBackground(
    _ configuration: Realm.Configuration
  ) async throws -> _RealmInstance {
    try await withCheckedThrowingContinuation { continuation in
      // A serial queue gets a thread also when all threads of the global queues are blocked.
      DispatchQueue(label: "holdfast.opening").async {
        do throws(RLMError) {
          continuation.resume(returning: try prepare(configuration))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }
}
