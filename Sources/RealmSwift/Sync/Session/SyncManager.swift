#if Sync
  import Dispatch
  import Platform

  /// What all sessions of an app have in common.
  public final class SyncManager: Sendable {
    /// What a session's errors are given to, with the session that it happened to.
    public typealias ErrorHandler = @Sendable (any Error, SyncSession?) -> Void

    private struct State {
      var handler: ErrorHandler?
      var userAgent: String?
      var customRequestHeaders: [String: String] = [:]
      var timeouts: SyncTimeoutOptions?
      /// Who wants to know that there will be a handler, where there was none.
      var observers: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let state: LockedValue<State>
    /// Where the handler is called, which may take its time.
    let handlerQueue = DispatchQueue(label: "holdfast.sync.errors")

    private let requests: AppRequests

    init(_ timeouts: SyncTimeoutOptions, _ requests: AppRequests) {
      state = LockedValue(State(timeouts: timeouts))
      self.requests = requests
    }

    /// The header of requests that has the user's token, instead of `Authorization`.
    public var authorizationHeaderName: String? {
      get { requests.tokenHeader.withLock { $0 } }
      set { requests.tokenHeader.withLock { $0 = newValue } }
    }

    /// Called for each error of a session, on a queue of its own: one error after the other.
    public var errorHandler: ErrorHandler? {
      get { state.withLock { $0.handler } }
      set {
        let observers = state.withLock { state in
          state.handler == nil && newValue != nil ? Array(state.observers.values) : []
        }
        for observer in observers { observer() }
        state.withLock { $0.handler = newValue }
      }
    }

    /// Calls `observer` before there is a handler where there was none; nil ends that.
    func observeNewHandler(_ name: ObjectIdentifier, _ observer: (@Sendable () -> Void)?) {
      let before = state.withLock { state in
        defer { state.observers[name] = observer }
        return state.observers[name]
      }
      _ = before  // Goes outside of the lock.
    }

    /// What connections call the program, in the header `User-Agent`.
    public var userAgent: String? {
      get { state.withLock { $0.userAgent } }
      set { state.withLock { $0.userAgent = newValue } }
    }

    /// Headers that connections have besides their own.
    public var customRequestHeaders: [String: String]? {
      get { state.withLock { $0.customRequestHeaders } }
      set { state.withLock { $0.customRequestHeaders = newValue ?? [:] } }
    }

    /// How long connections may take and rest; for those that are made from now on.
    public var timeoutOptions: SyncTimeoutOptions? {
      get { state.withLock { $0.timeouts } }
      set { state.withLock { $0.timeouts = newValue } }
    }

    var headers: [(name: String, value: String)] {
      state.withLock { state in
        var headers = state.customRequestHeaders.sorted { $0.key < $1.key }
          .map { (name: $0.key, value: $0.value) }
        headers.append((name: "User-Agent", value: state.userAgent ?? "Holdfast"))
        return headers
      }
    }
  }
#endif
