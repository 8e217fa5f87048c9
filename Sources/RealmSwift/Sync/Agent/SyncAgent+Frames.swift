#if Sync
  import Foundation
  import Storage
  import SyncProtocol
  import SyncStore

  /// Somebody waits until what was written up to a time is acknowledged.
  struct UploadWish {
    var number: Int64
    /// Of the client's clock.
    var time: UInt64
  }

  // What comes from the server, and what goes there.
  extension SyncAgent {
    func received(_ bytes: [UInt8], _ number: Int) {
      guard number == connection, session != nil else { return }
      let begin = microseconds
      defer { pace.worked(microseconds: microseconds - begin) }
      heardAt = microseconds
      guard let frame = try? Frame.decode(bytes) else { return take(bytes) }
      switch frame {
      case .pong(let answer): marked(answer)
      case .ping(let number): socket?.send(Frame.pong(number).encoded)
      case .download(_, let isLast, _):
        mark.downloading()
        isLast ? download(bytes) : hold(bytes)
      case .schemaResult:
        take(bytes)
        guard session != nil else { return }
        isReady = true
        readySince = microseconds
        hasNewToken = false
        isHurried = false
        handshake?.cancel()
        handshake = nil
        tellOfSetAside()
        phase = .connected
        changeStatus { $0.connection = .connected }
        lookAtFile()
      default:
        take(bytes)
        if isReady { lookAtFile() }
      }
    }

    /// A part that is not the last one changes nothing in the file.
    private func hold(_ bytes: [UInt8]) {
      send(session?.receive(bytes, &core, now: SharedRealm.milliseconds()) ?? [])
      endIfFailed()
    }

    /// Lets the session have a frame, in a transaction.
    private func take(_ bytes: [UInt8]) {
      if let info = info(), info.log != .short { digest() }
      do throws(StorageError) { try core.storage.begin() } catch { return cannotWrite(error) }
      let actions = session?.receive(bytes, &core, now: SharedRealm.milliseconds()) ?? []
      core.storage.rollback()
      send(actions)
      endIfFailed()
      tellOfFailedQuery()
    }

    private func download(_ bytes: [UInt8]) {
      // A reset that was interrupted goes on: the program knows of it.
      if versionBeforeReset == nil, session?.beginsReset(bytes) == true {
        versionBeforeReset = try? database.pinNewest()
        if let before = versionBeforeReset { reset(.begins(from: before)) }
      }
      take(bytes)
      guard let applied = session?.applied else { return }
      if applied.hasAcknowledged { comesAnew = false }
      // What comes because the client has started over does not show that anything is better.
      if applied.hasAcknowledged || (applied.hasNews && !comesAnew) { failures = 0 }
      let left = Int64(clamping: applied.remaining)
      if left != objectsToCome {
        objectsToCome = left
        changeStatus { $0.objectsToCome = left }
      }
      if applied.isRebase, applied.isLast, let before = versionBeforeReset {
        versionBeforeReset = nil
        reset(.ended(from: before))
      }
      if applied.isLast, let fulfilled = mark.downloaded() { fulfil(fulfilled) }
      if applied.hasAcknowledged { fulfilUploads() }
      lookAtFile()
    }

    /// Lets the program know of its writes that are undone, in the transaction that undoes them:
    /// who waits for them to be sent is not told that they were.
    func status(
      with slice: AppliedSlice, _ names: Names
    ) -> ((inout SessionStatus) -> Void)? {
      let refused = slice.refused
      if refused.isEmpty { return nil }
      let message = "The server has undone writes of \(refused.count) objects."
      log(.error) { message }
      let lines = refused.map { "\($0.refusal.reason)\t\(SyncFile.name(of: $0.object, names))" }
      return {
        $0.note(
          error: Int64(SyncError.Code.writeRejected.rawValue), message,
          objects: lines.joined(separator: "\n"))
      }
    }

    /// Lets the program know, once, of classes and properties that the server does not take.
    private func tellOfSetAside() {
      let setAside = core.storage.record.setAside
      guard setAside != knownSetAside else { return }
      knownSetAside = setAside
      if let message = setAsideMessage { report(.serverWarning, message) }
    }

    private var setAsideMessage: String? {
      if knownSetAside.isEmpty { return nil }
      let names = knownSetAside.map { conflict in
        let property = conflict.property.string
        return "'\(conflict.type.string)\(property.isEmpty ? "" : ".\(property)")'"
      }
      return "The server's schema does not have \(names.joined(separator: ", ")) as the program"
        + " does; what is written there waits until it has."
    }

    /// Lets the program know, once, of what cannot be sent.
    private func tell(ofTooLarge objects: [ObjectID]) {
      let news = objects.filter { knownTooLarge.insert($0).inserted }
      knownTooLarge.formIntersection(objects)
      if !news.isEmpty { report(.clientUserError, tooLargeMessage(news)) }
    }

    private func tooLargeMessage(_ objects: some Collection<ObjectID>) -> String {
      let names = objects.map { SyncFile.name(of: $0, core.storage.record.names) }
      return "More has been written to \(objects.count) objects than"
        + " \(Limits.changeBytes >> 20) MiB, which cannot be sent:"
        + " \(names.joined(separator: ", ")). They wait until they are smaller."
    }

    /// Nothing of what was written can be sent: who waits for it would wait for ever.
    private func refuseUploads() {
      guard let last = uploadWishes.last else { return }
      uploadWishes = []
      let message =
        setAsideMessage ?? (knownTooLarge.isEmpty ? nil : tooLargeMessage(knownTooLarge))
      changeStatus {
        $0.uploads = max($0.uploads, last.number)
        guard let message else { return }
        $0.note(error: Int64(SyncError.Code.serverWarning.rawValue), message)
      }
    }

    private func endIfFailed() {
      guard let session, session.isClosed else { return }
      guard let failure = session.failure else {
        return retry(because: "The server has ended the session.")
      }
      let message = failure.message.string
      switch failure.code {
      case .badToken, .tokenExpired:
        // Not the failures decide: a token runs out while the server is out of reach.
        wantsNewToken = true
        if !hasNewToken { return reconnect() }
        report(.clientUserError, message)
      case .divergence:
        if !comesAnew || hasLasted {
          comesAnew = true
          return reconnect()
        }
        report(.clientInternalError, message)
      case .unavailable: return retry(because: message)
      case .unknownApp, .foreignClientFile, .noCommonVersion: report(.clientSessionError, message)
      default: report(.clientInternalError, message)
      }
      retry(because: message)
    }

    private func tellOfFailedQuery() {
      guard let failed = session?.failedQuery, let info = info(),
        info.status.failedQuery != Int64(bitPattern: failed.version)
      else { return }
      changeStatus {
        $0.failedQuery = Int64(bitPattern: failed.version)
        $0.failedQueryMessage = failed.message.string
      }
    }

    // MARK: Marks

    func askForMark() {
      guard isReady, let number = mark.ask() else { return }
      socket?.send(Frame.ping(number).encoded)
    }

    private func marked(_ answer: UInt64) {
      let (next, fulfilled) = mark.answered(answer)
      if let next { socket?.send(Frame.ping(next).encoded) }
      if let fulfilled { fulfil(fulfilled) }
    }

    private func fulfil(_ fulfilled: Int64) {
      guard let info = info() else { return }
      // A query set that is on its way has not been answered; its answer makes the agent ask again.
      guard
        info.record.isQueryComplete
          || info.status.failedQuery == Int64(bitPattern: info.record.queryVersion)
      else { return }
      changeStatus {
        $0.downloads = max($0.downloads, fulfilled)
        $0.objectsToCome = 0
      }
      lookAtFile()
    }

    // MARK: Uploads

    /// Notes who waits until what is written now is acknowledged.
    func lookAtUploads(_ info: SyncFile.Info) {
      guard info.status.uploads < info.status.uploadsWanted else { return uploadWishes = [] }
      if (uploadWishes.last?.number ?? 0) < info.status.uploadsWanted {
        uploadWishes.append(
          UploadWish(number: info.status.uploadsWanted, time: info.record.clock.latest))
      }
    }

    /// Lets those know whose writes are acknowledged, though there may be newer ones.
    private func fulfilUploads() {
      if uploadWishes.isEmpty { return }
      core.storage.beginTransaction()
      let oldest = core.storage.dirtySpans.map(\.since).min() ?? .max
      core.storage.rollback()
      guard let fulfilled = uploadWishes.last(where: { $0.time < oldest }) else { return }
      uploadWishes.removeAll { $0.number <= fulfilled.number }
      changeStatus { $0.uploads = max($0.uploads, fulfilled.number) }
    }

    /// Sends the query set, and what was written, if there is anything and nothing is on its way.
    func poll(_ info: SyncFile.Info) {
      guard isReady, let session else { return }
      let canUpload = info.isDirty && !session.isUploading && !pace.gathers
      guard canUpload || session.owesQuery(info.record) else { return }
      if info.log != .short { digest() }
      do {
        try core.storage.begin()
        // Somebody has added classes since the look: the server is to hear of them first.
        if core.storage.record.hasNewClasses, core.storage.classes != sentClasses {
          return core.storage.rollback()
        }
        let actions = try self.session?.poll(&core) ?? []
        core.storage.rollback()
        if self.session?.isUploading == true { try makeBatchDurable() }
        send(actions)
        tell(ofTooLarge: core.tooLarge)
        if info.isDirty, self.session?.isUploading == false { refuseUploads() }
      } catch {
        core.storage.rollback()
        cannotWrite(error)
      }
    }

    /// A server that has merged a batch of which a power loss leaves nothing would meet a file that
    /// has gone back. Nobody waits for this flush but the server.
    private func makeBatchDurable() throws(StorageError) {
      switch database.options.durability {
      case .grouped, .relaxed: try database.flush()
      case .strict, .full, .inMemory: break
      }
    }

    /// The program hears of each reason once.
    private func cannotWrite(_ error: any Error) {
      let message = "The agent cannot write: \(error)"
      if message == knownWriteError {
        log(.error) { message }
      } else {
        knownWriteError = message
        report(.clientInternalError, message)
      }
      retry(because: "The file cannot be written.")
    }
  }
#endif
