#if Sync
  public import Dispatch
  import Foundation
  import ObjectStore
  import Platform
  import Storage
  import SyncStore
  import Synchronization

  /// The synchronisation of one file, as every process sees it that has the file open: one of them
  /// carries it out, and what it has to say goes through the file.
  ///
  /// A session keeps its file open.
  public final class SyncSession: Sendable {
    /// Whether the session is at work.
    public enum State: Hashable, Sendable {
      /// It sends and receives when it can.
      case active
      /// It was suspended.
      case inactive
      /// The user is logged out.
      case invalid
    }

    /// Where the connection to the server stands.
    public enum ConnectionState: Hashable, Sendable {
      /// There is none.
      case disconnected
      /// There will be.
      case connecting
      /// There is.
      case connected
    }

    /// Which way.
    public enum ProgressDirection: Hashable, Sendable {
      /// To the server.
      case upload
      /// From it.
      case download
    }

    /// For how long progress is told.
    public enum ProgressMode: Hashable, Sendable {
      /// Until the token goes.
      case reportIndefinitely
      /// Until what is outstanding now is done.
      case forCurrentlyOutstandingWork
    }

    /// How far it is.
    public struct Progress: Hashable, Sendable {
      /// From 0 to 1.
      public let progressEstimate: Double
      /// Whether nothing is outstanding.
      public var isTransferComplete: Bool { progressEstimate >= 1 }
    }

    let shared: SharedRealm
    private let user: User
    private let settings: Realm.Configuration

    init(_ shared: SharedRealm, _ user: User, _ configuration: Realm.Configuration) {
      self.shared = shared
      self.user = user
      settings = configuration
    }

    /// Whose session it is.
    public func parentUser() -> User? { user }

    /// The configuration that the file was opened with.
    public func configuration() -> Realm.Configuration? { settings }

    private var status: SessionStatus? {
      (try? shared.database.readSync(shared.schemas, shared.syncCache))?.status
    }

    /// Whether the session is at work.
    public var state: State {
      guard user.isLoggedIn, let status else { return .invalid }
      return status.isSuspended(in: shared.database) ? .inactive : .active
    }

    /// Where the connection stands, in whichever process it is.
    public var connectionState: ConnectionState { ConnectionState(status?.connection) }

    /// Each state of the connection from now on, the present one first.
    public var connectionStates: AsyncStream<ConnectionState> {
      AsyncStream { continuation in
        let last = LockedValue<ConnectionState?>(nil)
        let watch = try? FileWatch.start(shared) { info in
          let now = ConnectionState(info.status.connection)
          let isNew = last.withLock { last in
            defer { last = now }
            return last != now
          }
          if isNew { continuation.yield(now) }
          return false
        }
        continuation.onTermination = { _ in watch?.end() }
        if watch == nil { continuation.finish() }
      }
    }

    /// Lets the session rest, for all processes, until `resume()`, or until all of them have closed
    /// the file.
    public func suspend() {
      let session = Int64(bitPattern: shared.database.session)
      change { $0.suspendedSession = session }
    }

    /// Lets the session go on.
    public func resume() { change { $0.suspendedSession = 0 } }

    /// Connects at once, if there is a pause because connecting has failed.
    public func reconnect() { change { $0.reconnects += 1 } }

    /// Within a write, when that is over: it would wait for itself.
    private func change(_ body: @escaping @Sendable (inout SessionStatus) -> Void) {
      do throws(StorageError) { try shared.changeSyncSoon(body) } catch {
        Logger.shared.log(.error) { "Could not change the session of '\(shared.path)': \(error)" }
      }
    }

    // MARK: Waiting

    /// Waits until all that was written is acknowledged, or all has come that the server has now.
    ///
    /// - Throws: `SyncError` if the session has an error meanwhile, `CancellationError`.
    public func wait(for direction: ProgressDirection) async throws {
      try await wait(for: direction, isImpatient: false)
    }

    /// - Parameter isImpatient: whether a connection that cannot be made is an error.
    func wait(for direction: ProgressDirection, isImpatient: Bool) async throws {
      let now = try shared.database.readSync(shared.schemas, shared.syncCache)
      let errors = now?.status.errors ?? 0
      let failures = now?.status.failedConnections ?? 0
      let goal = try makeWish(direction, now, isImpatient: isImpatient)
      try await FileWatch.wait(shared) { info -> Result<Void, any Error>? in
        for error in info.status.errors(after: errors).lazy.map({ SyncError($0) })
        where direction == .upload || error.endsDownloads { return .failure(error) }
        if isImpatient, info.status.failedConnections > failures {
          return .failure(SyncError(.connectionFailed, info.status.failedConnectionMessage))
        }
        let isDone =
          direction == .upload
          ? !info.isDirty || info.status.uploads >= goal : info.status.downloads >= goal
        return isDone ? .success(()) : nil
      }
    }

    /// Lets the agent know that somebody waits; what it calls the wish, where there is need of one.
    private func makeWish(
      _ direction: ProgressDirection, _ now: SyncFile.Info?, isImpatient: Bool
    ) throws(StorageError) -> Int64 {
      if direction == .upload, now?.isDirty == false { return 0 }
      var wanted: Int64 = 0
      try shared.changeSync {
        // Who does not wait for a server does not wait for the end of a pause either.
        if isImpatient { $0.reconnects += 1 }
        switch direction {
        case .download:
          $0.downloadsWanted += 1
          wanted = $0.downloadsWanted
        case .upload:
          $0.uploadsWanted += 1
          wanted = $0.uploadsWanted
        }
      }
      return wanted
    }

    /// Calls `block` when all that was written is acknowledged, or all has come that the server has
    /// now, or with an error.
    ///
    /// - Parameter queue: where it is called; nil for some thread.
    public func wait(
      for direction: ProgressDirection, queue: DispatchQueue? = nil,
      block: @escaping @Sendable ((any Error)?) -> Void
    ) {
      finishing({ error in
        if let queue { queue.async { block(error) } } else { block(error) }
      }) { try await self.wait(for: direction) }
    }

    // MARK: Progress

    /// Keeps progress being told for as long as it lives.
    public final class ProgressNotificationToken: Sendable {
      private let watch: FileWatch

      init(_ watch: FileWatch) { self.watch = watch }

      /// Ends it.
      public func invalidate() { watch.end() }

      deinit { watch.end() }
    }

    /// Calls `block`, on some thread, with how far it is: at once, and whenever that changes.
    ///
    /// - Returns: nil if nothing is outstanding, for `.forCurrentlyOutstandingWork`.
    public func addProgressNotification(
      for direction: ProgressDirection, mode: ProgressMode,
      block: @escaping @Sendable (Progress) -> Void
    ) -> ProgressNotificationToken? {
      let last = LockedValue<Progress?>(nil)
      let most = LockedValue<Int64>(0)
      let watch = try? FileWatch.start(shared) { info in
        let left = direction == .upload ? info.dirtyObjects : info.status.objectsToCome
        let all = most.withLock { most in
          most = left == 0 ? 0 : max(most, left)
          return most
        }
        let isComplete = direction == .upload ? !info.isDirty : info.hasDownloaded
        let share = all == 0 ? (isComplete ? 1 : 0) : 1 - Double(left) / Double(all + 1)
        let progress = Progress(progressEstimate: share)
        let isNew = last.withLock { last in
          defer { last = progress }
          return last != progress
        }
        if isNew { block(progress) }
        return mode == .forCurrentlyOutstandingWork && progress.isTransferComplete
      }
      return watch.map { ProgressNotificationToken($0) }
    }
  }

  extension SyncSession.ConnectionState {
    init(_ stored: SessionStatus.Connection?) {
      switch stored {
      case .connecting: self = .connecting
      case .connected: self = .connected
      case .disconnected, nil: self = .disconnected
      }
    }
  }

  extension SyncError {
    /// Whether it is of no use to wait for a download then: what the server does not take of the
    /// program's writes does not keep it from sending.
    fileprivate var endsDownloads: Bool { code != .writeRejected && code != .serverWarning }

    /// An error that a session's file has.
    convenience init(_ stored: SessionError) {
      self.init(
        Code(rawValue: Int(stored.code)) ?? .clientInternalError,
        userInfo: [
          NSLocalizedDescriptionKey: stored.message, Self.objectsKey: stored.objects,
        ])
    }
  }

  extension SyncFile.Info {
    /// Whether all has come that was asked for.
    fileprivate var hasDownloaded: Bool {
      status.downloads >= status.downloadsWanted
        && (record.isQueryComplete || status.failedQuery == Int64(bitPattern: record.queryVersion))
    }
  }

  extension Realm {
    /// The synchronisation of the file; nil if it is not synchronised.
    public var syncSession: SyncSession? { instance.shared.syncSession }
  }
#endif
