#if Sync
  import Dispatch
  import ObjectStore
  import Platform
  import Storage
  import SyncStore

  /// What a process has of a synced file beside its realms.
  final class FileSync: FileAttachment {
    let agent: SyncAgent
    let user: User
    let configuration: Realm.Configuration
    /// Hears of errors of the session, in whichever process they happen.
    private let errors: CommitListener?
    /// How many the error handler was given.
    fileprivate let knownErrors: LockedValue<Int64>
    /// What programs want of the session who are in a write.
    fileprivate let postponed = LockedValue<[@Sendable (inout SessionStatus) -> Void]>([])
    fileprivate let postponing = DispatchQueue(label: "holdfast.sync.postponed")

    init(_ shared: SharedRealm, _ agent: SyncAgent, _ user: User, _ settings: Realm.Configuration) {
      self.agent = agent
      self.user = user
      configuration = settings
      knownErrors = LockedValue(shared.syncStatus?.errors ?? 0)
      // Who commits on and on would else pay for a look at nearly each commit.
      let looks = FileLooks(
        on: user.app.syncManager.handlerQueue, pause: .milliseconds(20)
      ) { [weak shared] in shared?.tellOfErrors() }
      errors = try? shared.database.addCommitListener {
        if user.app.syncManager.errorHandler != nil { looks.ask() }
      }
      // A handler is not told of what was before it.
      user.app.syncManager.observeNewHandler(ObjectIdentifier(agent)) { [weak self, weak shared] in
        guard let self, let errors = shared?.syncStatus?.errors else { return }
        knownErrors.withLock { $0 = max($0, errors) }
      }
    }

    deinit {
      user.app.syncManager.observeNewHandler(ObjectIdentifier(agent), nil)
      agent.stop()
    }
  }

  extension SharedRealm {
    /// Begins to synchronise the file, unless this process does already.
    func startSync(_ configuration: Realm.Configuration) throws(StorageError) {
      guard let sync = configuration.syncConfiguration, !configuration.readOnly else { return }
      if fileSync?.user === sync.user { return }
      guard var info = try database.readSync(schemas, syncCache) else { return }
      if info.user.isEmpty {
        // A copy for other devices that was opened without being synchronised, and is open.
        try giveUser(sync.user.id)
        info = try database.readSync(schemas, syncCache) ?? info
      }
      guard info.user == sync.user.id else {
        throw StorageError(
          .inUse, path: path, "The file is synchronised by another user, '\(info.user)'.")
      }
      var removed: (any FileAttachment)?
      let isFirst = attachment.withLock { attachment in
        // Who was removed and has logged in again is another user here, with tokens of its own.
        if let known = attachment as? FileSync, known.user.state != .removed { return false }
        let agent = SyncAgent(
          self, user: sync.user, discardsUnsynced: sync.clientResetMode.discardsUnsynced
        ) { reset in Self.tell(of: reset, configuration) }
        removed = attachment
        attachment = FileSync(self, agent, sync.user, configuration)
        return true
      }
      _ = removed  // Goes outside of the lock.
      if isFirst { fileSync?.agent.start() }
    }

    private var fileSync: FileSync? { attachment.withLock { $0 } as? FileSync }

    /// The session of the file; nil if it is not synchronised.
    var syncSession: SyncSession? {
      fileSync.map { SyncSession(self, $0.user, $0.configuration) }
    }

    var syncStatus: SessionStatus? {
      (try? database.readSync(schemas, syncCache))?.status
    }

    /// Gives the error handler what has happened since it was called last.
    fileprivate func tellOfErrors() {
      guard let status = syncStatus, let sync = fileSync else { return }
      let before = sync.knownErrors.withLock { known in
        defer { known = max(known, status.errors) }
        return known
      }
      for error in status.errors(after: before) {
        sync.user.app.syncManager.errorHandler?(SyncError(error), syncSession)
      }
    }

    // MARK: Writing

    /// Whether the caller is in an update of subscriptions.
    var isUpdatingSubscriptionsHere: Bool {
      updatingThread.load(ordering: .relaxed) == currentThread()
    }

    /// Whether the caller has the turn to write and uses it, so that it would wait for itself.
    var isWritingHere: Bool {
      isUpdatingSubscriptionsHere || writersHere.contains { $0.isInWriteTransaction }
    }

    /// Writes what a program wants of sync. Where a realm of the caller has the turn to write and
    /// does not use it yet, because it calls an observer or has asked for the turn, it is this
    /// write's.
    func writeSync<Result>(
      _ body: (ObjectTransaction) throws -> Result
    ) throws -> Result {
      let here = writersHere
      let holder = here.first { $0.keptTurn.isKept } ?? here.first { $0.asyncWritesIfUsed != nil }
      defer { holder?.asyncWritesIfUsed?.driver.resume() }
      let turn = try holder.map { try WriterTurn(of: $0).take() } ?? database.beginWrite()
      let transaction = try ObjectTransaction(turn, schemas: schemas)
      transaction.recorder = NothingToNote.shared
      defer { transaction.cancel() }
      return try body(transaction)
    }

    private func giveUser(_ user: String) throws(StorageError) {
      try commitSync { transaction in
        try SyncFile.identify(transaction, client: .random(in: 1...UInt64.max), user: user)
        _ = try transaction.commit()
      }
    }

    /// `writeSync`, with errors of the storage.
    private func commitSync(_ body: (ObjectTransaction) throws -> Void) throws(StorageError) {
      do { try writeSync(body) } catch {
        throw error as? StorageError
          ?? StorageError(.inputOutput, path: path, "\(error.localizedDescription)")
      }
    }

    /// Changes what the sessions of all processes see.
    func changeSync(_ body: (inout SessionStatus) -> Void) throws(StorageError) {
      try commitSync { transaction in
        let earlier = fileSync?.postponed.withLock { postponed in
          defer { postponed = [] }
          return postponed
        }
        try SyncFile.change(transaction) { status in
          for change in earlier ?? [] { change(&status) }
          body(&status)
        }
        _ = try transaction.commit()
      }
    }

    /// Changes what the sessions of all processes see, at once, or if the caller is in a write,
    /// when that is over.
    func changeSyncSoon(
      _ body: @escaping @Sendable (inout SessionStatus) -> Void
    ) throws(StorageError) {
      guard isWritingHere, let sync = fileSync else { return try changeSync(body) }
      sync.postponed.withLock { $0.append(body) }
      sync.postponing.async { [self] in
        if sync.postponed.withLock({ $0.isEmpty }) { return }
        do throws(StorageError) { try changeSync { _ in } } catch {
          Logger.shared.log(.error) { "Could not change the session of '\(self.path)': \(error)" }
        }
      }
    }

    private static func tell(
      of reset: SyncAgent.Reset, _ configuration: Realm.Configuration
    ) {
      guard let mode = configuration.syncConfiguration?.clientResetMode else { return }
      switch mode {
      case .manual(let handler):
        guard case .ended = reset else { return }
        handler?(
          SyncError(.clientResetError, "The server's history is another one; the file follows it."),
          nil)
      case .discardUnsyncedChanges(let before, let after),
        .recoverUnsyncedChanges(let before, let after),
        .recoverOrDiscardUnsyncedChanges(let before, let after):
        do {
          switch reset {
          case .begins(let version):
            try before?(realm(at: version, try RealmOpening.prepare(configuration), configuration))
          case .ended(let version):
            guard let after else { return }
            let now = try RealmOpening.prepare(configuration)
            after(try realm(at: version, now, configuration), Realm(instance: now))
          }
        } catch {
          Logger.shared.log(.error) { "Could not tell of a client reset: \(error)" }
        }
      }
    }

    /// A frozen realm at an earlier version.
    private static func realm(
      at version: Snapshot, _ now: _RealmInstance, _ configuration: Realm.Configuration
    ) throws -> Realm {
      Realm(
        instance: try _RealmInstance(
          shared: now.shared, opened: Realm.OpenedConfiguration(configuration),
          scheduler: FrozenScheduler.shared, classes: now.classes, snapshot: try version.duplicate()
        ))
    }
  }

  extension ClientResetMode {
    /// Whether what the server has not acknowledged goes.
    var discardsUnsynced: Bool {
      if case .discardUnsyncedChanges = self { true } else { false }
    }
  }
#endif
