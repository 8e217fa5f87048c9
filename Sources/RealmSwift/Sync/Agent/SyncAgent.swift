#if Sync
  import Foundation
  import ObjectStore
  import Storage
  import SyncProtocol
  import SyncStore
  import SyncTransport
  import Synchronization

  /// Synchronises one file, in the one process that has the agent's role for it: sends what the
  /// programs of all processes write, and applies what the server says.
  ///
  /// Everything but `init`, `start` and `stop` happens on the thread of its own loop. What it has
  /// to say to the sessions, of which every process has one, it writes into the file.
  final class SyncAgent: RealmClientStorage.Host, @unchecked Sendable {
    // Sendable: what changes after `init` is used on the loop's thread alone.

    enum Phase {
      /// Another process has the role, or this one does not know yet, or its user is logged out.
      case waitsForRole
      /// The session is suspended.
      case rests
      case connecting
      case connected
      /// The connection failed; there will be another one.
      case waits(SyncTimer)
    }

    let database: Database
    let schemas = SchemaCache()
    let cache: SyncCache
    let loop = SyncLoop()
    let user: User
    /// Whether a reset discards what the server has not acknowledged.
    let discardsUnsynced: Bool
    let reset: (SyncAgent.Reset) -> Void
    private let news = Atomic<News>(.none)
    private var listener: CommitListener?
    var pace = AgentPace()
    private let beginning = ContinuousClock.now

    /// What commits have told the agent.
    private enum News: UInt8, AtomicRepresentable {
      /// It has looked at all of them: the next one wakes it.
      case none
      /// It has just looked at all of them, and will look again by itself.
      case seen
      /// There are some that it will look at.
      case waiting
    }

    var phase = Phase.waitsForRole
    private var isOver = false
    private var hasTurn = false
    /// Whether another process may have the role, because the user is logged out in this one.
    private var isOut = false
    /// Counts connections: what an earlier one still says is not heard.
    var connection = 0
    /// Failures since the last connection that was of use: one that brought something, or lasted.
    var failures = 0
    /// Since when the server knows the classes.
    var readySince: UInt64 = 0
    /// Of which classes and properties the program knows that the server does not take them.
    var knownSetAside: [SyncProtocol.Schema.Conflict] = []
    /// The user has logged in or out since the agent looked.
    private var userHasChanged = false
    /// After how many milliseconds the role was asked for again the last time.
    private var roleDelay = 500
    /// The server has refused the access token: the next connection asks for a new one.
    var wantsNewToken = false
    /// The token of this connection was asked for because the server had refused another one, and
    /// the server has not taken it yet.
    var hasNewToken = false
    /// The server's data and the file's did not go together, and nothing was acknowledged since.
    var comesAnew = false
    var socket: WebSocket?
    var session: ClientSession?
    /// The download that the last connection was cut in.
    var interrupted: DownloadProgress?
    /// Whether the server knows the classes.
    var isReady = false
    /// Those that it was sent.
    var sentClasses: [SchemaClass] = []
    /// What cannot be sent, and the program knows of.
    var knownTooLarge: Set<ObjectID> = []
    /// Why the file could not be written, as the program was told.
    var knownWriteError: String?
    var knownReconnects: Int64 = 0
    /// Somebody wants a connection at once, and one is being tried: should that fail, the next one
    /// is tried without a pause.
    var isHurried = false
    var mark = DownloadMark()
    /// Wishes that are not fulfilled, oldest first.
    var uploadWishes: [UploadWish] = []
    /// What the sessions were told of that.
    var objectsToCome: Int64 = 0
    /// When something came from the server last, by `microseconds`: the time of day may be set.
    var heardAt: UInt64 = 0
    var keepalive: SyncTimer?
    /// Ends a connection on which the server does not come to know the classes.
    var handshake: SyncTimer?
    lazy var core = ClientCore(storage: RealmClientStorage(cache: cache, host: self))

    /// The version before a reset that is under way, over several connections if need be.
    var versionBeforeReset: Snapshot?

    /// The server's data take the place of the file's, for the callbacks.
    enum Reset {
      /// The file still is at this version.
      case begins(from: Snapshot)
      /// It was at this version.
      case ended(from: Snapshot)
    }

    init(
      _ shared: SharedRealm, user: User, discardsUnsynced: Bool,
      reset: @escaping (SyncAgent.Reset) -> Void
    ) {
      database = shared.database
      cache = shared.syncCache
      self.user = user
      self.discardsUnsynced = discardsUnsynced
      self.reset = reset
    }

    /// Asks for the role.
    func start() {
      user.observe(ObjectIdentifier(self)) { [weak self] in
        self?.loop.execute { [weak self] in
          self?.userHasChanged = true
          self?.lookAtFile()
        }
      }
      loop.execute { [weak self] in self?.begin() }
    }

    /// Gives the role to another process.
    func stop() { loop.execute { self.end() } }

    private func begin() {
      AgentTurns.take(ObjectIdentifier(database)) { [self] in
        // Held until its turn, which it has to give to the next one.
        loop.execute { [self] in
          hasTurn = true
          isOver ? endTurn() : askForRole()
        }
      }
    }

    private func endTurn() {
      hasTurn = false
      AgentTurns.end(ObjectIdentifier(database))
    }

    private func askForRole() {
      do throws(StorageError) {
        if listener == nil {
          listener = try database.addCommitListener { [weak self] in self?.fileChanged() }
        }
        isOut = !user.isLoggedIn
        if !isOut { try waitForRole() }
      } catch {
        askAgain(after: error)
      }
    }

    private func waitForRole() throws(StorageError) {
      try database.takeAgentRole { [weak self] error in
        self?.loop.execute { [weak self] in
          guard let self else { return }
          if let error { return askAgain(after: error) }
          tookRole()
        }
      }
    }

    /// There may have been too many open files or locks, and be fewer in a while.
    private func askAgain(after error: StorageError) {
      log(.error) { "The agent cannot begin, and tries again: \(error)" }
      roleDelay = min(2 * roleDelay, 60_000)
      loop.after(milliseconds: roleDelay) { [weak self] in
        guard let self, hasTurn, !isOver, case .waitsForRole = phase else { return }
        askForRole()
      }
    }

    /// The user has logged out in this process; in another one that has the file open it may not
    /// have.
    private func leaveRole() {
      rest()
      phase = .waitsForRole
      isOut = true
      versionBeforeReset = nil
      // What it had begun is told to nobody any more.
      interrupted = nil
      database.releaseAgentRole()
    }

    /// Asks for the role again once the user has logged in. Until then there may be nobody else who
    /// keeps the log short.
    private func lookWithoutRole() {
      guard isOut else { return }
      guard user.isLoggedIn else {
        if info()?.log == .long { digest() }
        return
      }
      isOut = false
      do throws(StorageError) { try waitForRole() } catch { askAgain(after: error) }
    }

    private func end() {
      isOver = true
      user.stopObserving(ObjectIdentifier(self))
      listener = nil
      disconnect()
      versionBeforeReset = nil
      if case .waits(let timer) = phase { timer.cancel() }
      if case .waitsForRole = phase {} else { changeStatus { $0.connection = .disconnected } }
      phase = .waitsForRole
      if !hasTurn { return }
      database.releaseAgentRole()
      endTurn()
    }

    /// From any thread, also within a commit.
    private func fileChanged() {
      guard news.exchange(.waiting, ordering: .acquiringAndReleasing) == .none else { return }
      loop.execute { [weak self] in self?.lookAtNews() }
    }

    private func lookAtNews() {
      // An exchange, as that of the commits is: what they have published is seen.
      _ = news.exchange(.seen, ordering: .acquiringAndReleasing)
      pace.beginLook(at: database.newestVersion.rawValue, now: microseconds)
      lookAtFile()
      loop.after(milliseconds: pace.endLook(now: microseconds)) { [weak self] in
        guard let self else { return }
        let (wasSeen, _) = news.compareExchange(
          expected: .seen, desired: .none, ordering: .acquiringAndReleasing)
        switch pace.pauseEnded(hasNews: !wasSeen) {
        case .look: lookAtNews()
        case .sendGathered: lookAtFile()
        case .rest: break
        }
      }
    }

    /// Of a clock that never goes back, since the agent was made.
    var microseconds: UInt64 {
      let time = (ContinuousClock.now - beginning).components
      return UInt64(time.seconds) * 1_000_000 + UInt64(time.attoseconds / 1_000_000_000_000)
    }

    private func tookRole() {
      guard case .waitsForRole = phase, !isOver else { return }
      phase = .rests
      roleDelay = 500
      changeStatus {
        $0.agentEpoch += 1
        $0.connection = .disconnected
        $0.objectsToCome = 0
      }
      log(.detail) { "This process synchronises '\(self.database.path)'" }
      lookAtFile()
    }

    /// Does what programs of any process want: send, rest, go on.
    func lookAtFile() {
      if case .waitsForRole = phase { return lookWithoutRole() }
      guard let info = info() else { return }
      if info.log == .long { digest() }
      if !user.isLoggedIn { return leaveRole() }
      if info.status.isSuspended(in: database) { return rest() }
      let hurries = info.status.reconnects != knownReconnects || userHasChanged
      knownReconnects = info.status.reconnects
      userHasChanged = false
      switch phase {
      case .waitsForRole: return
      case .rests:
        failures = 0
        connect()
      case .waits(let timer):
        guard hurries else { return }
        timer.cancel()
        failures = 0
        connect()
      case .connecting: isHurried = isHurried || hurries
      case .connected:
        if info.record.hasNewClasses, mustSendClasses { return reconnect() }
        lookAtUploads(info)
        mark.wanted = info.status.downloadsWanted
        if info.status.downloads < mark.wanted { askForMark() }
        poll(info)
      }
    }

    /// Whether the program has got classes since the connection began.
    var mustSendClasses: Bool {
      session?.asksForNewClasses == false || syncedClasses() != sentClasses
    }

    private func rest() {
      if case .rests = phase { return }
      if case .waits(let timer) = phase { timer.cancel() }
      disconnect()
      phase = .rests
      changeStatus { $0.connection = .disconnected }
    }

    // MARK: The file

    /// The file as it is now; nil if it cannot be read.
    func info() -> SyncFile.Info? {
      do throws(StorageError) {
        return try database.readSync(schemas, cache)
      } catch {
        log(.error) { "The agent cannot read: \(error)" }
        return nil
      }
    }

    /// Brings the states of objects up to date with what programs have written, in transactions so
    /// short that others who want to write need not wait.
    func digest() {
      do throws(StorageError) {
        while try core.storage.digest() {}
      } catch {
        log(.error) { "The agent cannot write: \(error)" }
      }
    }

    /// Waits for the turn to write.
    func beginSync() throws(StorageError) -> ObjectTransaction {
      try ObjectTransaction(try database.beginWrite(), schemas: schemas)
    }

    /// Commits what the server has said.
    func commitSync(_ transaction: ObjectTransaction) throws(StorageError) {
      transaction.recorder = NothingToNote.shared
      let begin = microseconds
      _ = try transaction.commit(author: listener)
      pace.committed(microseconds: microseconds - begin)
    }

    /// Changes what sessions see.
    func changeStatus(_ change: (inout SessionStatus) -> Void) {
      do throws(StorageError) {
        let transaction = try beginSync()
        do throws(StorageError) {
          try SyncFile.change(transaction, change)
          try commitSync(transaction)
        } catch {
          transaction.cancel()
          throw error
        }
      } catch {
        log(.error) { "The agent cannot write: \(error)" }
      }
    }

    func log(_ level: LogLevel, _ message: () -> String) {
      Logger.shared.log(level) { "sync: \(message())" }
    }
  }

  extension Database {
    /// What the newest version says of sync; nil if the file is not synced.
    func readSync(
      _ schemas: SchemaCache, _ cache: SyncCache
    ) throws(StorageError) -> SyncFile.Info? {
      try withNewest { (source, root) throws(StorageError) in
        let schema = try schemas.schema(root, in: source)
        return try SyncFile.info(
          StoreView(source: source, root: root, schema: schema.description), schema, cache)
      }
    }
  }
#endif
