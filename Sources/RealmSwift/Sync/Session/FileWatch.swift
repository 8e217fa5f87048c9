#if Sync
  import Dispatch
  import Platform
  import Storage
  import SyncStore

  /// Waits until the file says something, which any process may write into it. Looks once at the
  /// start, and after commits: many that are made while it looks it sees together.
  final class FileWatch: Sendable {
    private struct State {
      var listener: CommitListener?
      var isOver = false
    }

    private let shared: SharedRealm
    private let state = LockedValue(State())
    /// Whether that was all.
    private let look: @Sendable (SyncFile.Info) -> Bool

    private init(_ shared: SharedRealm, _ look: @escaping @Sendable (SyncFile.Info) -> Bool) {
      self.shared = shared
      self.look = look
    }

    /// Calls `look` on a queue until it says that that was all, or the watch is ended.
    static func start(
      _ shared: SharedRealm, _ look: @escaping @Sendable (SyncFile.Info) -> Bool
    ) throws(StorageError) -> FileWatch {
      let watch = FileWatch(shared, look)
      let looks = FileLooks(on: DispatchQueue(label: "holdfast.sync.watch")) { [weak watch] in
        watch?.lookNow()
      }
      let listener = try shared.database.addCommitListener { looks.ask() }
      watch.state.withLock { $0.listener = listener }
      looks.ask()
      return watch
    }

    private func lookNow() {
      if state.withLock({ $0.isOver }) { return }
      guard let info = try? shared.database.readSync(shared.schemas, shared.syncCache) else {
        return
      }
      if look(info) { end() }
    }

    /// Ends it; nothing is called once what is being called has returned.
    func end() {
      let listener = state.withLock { state in
        state.isOver = true
        return state.listener.take()
      }
      _ = listener  // Goes outside of the lock.
    }

    /// Waits until `outcome` says what has come of it.
    static func wait<Value: Sendable>(
      _ shared: SharedRealm,
      for outcome: @escaping @Sendable (SyncFile.Info) -> Result<Value, any Error>?
    ) async throws -> Value {
      let waiter = Waiter<Value>()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          waiter.begin(continuation)
          do {
            waiter.keep(
              try FileWatch.start(shared) { info in
                guard let result = outcome(info) else { return false }
                waiter.finish(result)
                return true
              })
          } catch { waiter.finish(.failure(error)) }
        }
      } onCancel: {
        waiter.finish(.failure(CancellationError()))
      }
    }
  }

  /// A task that waits: finished once, by whoever comes first.
  private final class Waiter<Value: Sendable>: Sendable {
    private struct State {
      var continuation: CheckedContinuation<Value, any Error>?
      var result: Result<Value, any Error>?
      var watch: FileWatch?
    }

    private let state = LockedValue(State())

    func begin(_ continuation: CheckedContinuation<Value, any Error>) {
      let early = state.withLock { state in
        if state.result == nil { state.continuation = continuation }
        return state.result
      }
      if let early { continuation.resume(with: early) }
    }

    func keep(_ watch: FileWatch) {
      let isOver = state.withLock { state in
        if state.result == nil { state.watch = watch }
        return state.result != nil
      }
      if isOver { watch.end() }
    }

    func finish(_ result: Result<Value, any Error>) {
      let (continuation, watch) = state.withLock { state in
        guard state.result == nil else {
          return (CheckedContinuation<Value, any Error>?.none, FileWatch?.none)
        }
        state.result = result
        return (state.continuation.take(), state.watch.take())
      }
      watch?.end()
      continuation?.resume(with: result)
    }
  }
#endif
