#if Sync
  import Foundation
  import Storage
  import SyncProtocol
  import SyncStore

  /// Finds out when all has come that the server had at a moment: the server answers a ping in its
  /// turn and then sends what is new, so when it answers another one it has sent that.
  struct Mark {
    /// The newest wish.
    var wanted: Int64 = 0
    private var number: UInt64 = 0
    private var answers = 0
    private var asked: Int64 = 0

    /// The connection ended, or something came in between.
    mutating func restart() {
      answers = 0
      asked = 0
    }

    /// The ping to send; nil if an answer is awaited already.
    mutating func ask() -> UInt64? {
      if asked > 0 { return nil }
      asked = wanted
      number += 1
      return number
    }

    /// An answer has come: what to send next, or which wish is fulfilled.
    mutating func answered(_ answer: UInt64) -> (next: UInt64?, fulfilled: Int64?) {
      guard answer == number, answer > 0, asked > 0 else { return (nil, nil) }
      answers += 1
      if answers < 2 {
        number += 1
        return (number, nil)
      }
      defer { restart() }
      return (nil, asked)
    }
  }

  // What comes from the server, and what goes there.
  extension SyncAgent {
    func received(_ bytes: [UInt8], _ number: Int) {
      guard number == connection, session != nil else { return }
      let begin = microseconds
      defer { pace.worked(microseconds: microseconds - begin) }
      heardAt = SharedRealm.milliseconds()
      guard let frame = try? Frame.decode(bytes) else { return take(bytes) }
      switch frame {
      case .pong(let answer): marked(answer)
      case .ping(let number): socket?.send(Frame.pong(number).encoded)
      case .download(_, let isLast, _):
        mark.restart()
        isLast ? download(bytes) : hold(bytes)
      case .schemaResult:
        take(bytes)
        guard session != nil else { return }
        isReady = true
        failures = 0
        hasNewToken = false
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
      do throws(StorageError) { try core.storage.begin() } catch {
        log(.error) { "The agent cannot write: \(error)" }
        return retry()
      }
      let actions = session?.receive(bytes, &core, now: SharedRealm.milliseconds()) ?? []
      core.storage.rollback()
      send(actions)
      endIfFailed()
      tellOfFailedQuery()
    }

    private func download(_ bytes: [UInt8]) {
      if session?.beginsReset(bytes) == true {
        versionBeforeReset = try? database.pinNewest()
        if let before = versionBeforeReset { reset(.begins(from: before)) }
      }
      take(bytes)
      guard let applied = session?.applied else { return }
      comesAnew = false
      let left = Int64(clamping: applied.remaining)
      if left != objectsToCome {
        objectsToCome = left
        changeStatus { $0.objectsToCome = left }
      }
      if applied.isReset, applied.isLast, let before = versionBeforeReset {
        versionBeforeReset = nil
        reset(.ended(from: before))
      }
      if !applied.refused.isEmpty { tell(of: applied.refused) }
      lookAtFile()
    }

    /// Lets the program know of its writes that are undone.
    private func tell(of refused: [RefusedChange]) {
      let names = core.storage.record.names
      let lines = refused.map { "\($0.refusal.reason)\t\(SyncFile.name(of: $0.object, names))" }
      report(
        .writeRejected, "The server has undone writes of \(refused.count) objects.",
        objects: lines.joined(separator: "\n"))
    }

    /// Lets the program know, once, of what cannot be sent.
    private func tell(ofTooLarge objects: [ObjectID]) {
      let news = objects.filter { knownTooLarge.insert($0).inserted }
      knownTooLarge.formIntersection(objects)
      guard !news.isEmpty else { return }
      let names = news.map { SyncFile.name(of: $0, core.storage.record.names) }
      report(
        .clientUserError,
        "More has been written to \(news.count) objects than \(Limits.changeBytes >> 20) MiB, which"
          + " cannot be sent: \(names.joined(separator: ", ")). They wait until they are smaller.")
    }

    private func endIfFailed() {
      guard let session, session.isClosed else { return }
      guard let failure = session.failure else { return retry() }
      let message = failure.message.string
      switch failure.code {
      case .badToken, .tokenExpired:
        // Not the failures decide: a token runs out while the server is out of reach.
        wantsNewToken = true
        if !hasNewToken { return reconnect() }
        report(.clientUserError, message)
      case .divergence:
        if !comesAnew {
          comesAnew = true
          return reconnect()
        }
        report(.clientInternalError, message)
      case .unavailable: break
      case .unknownApp, .foreignClientFile, .noCommonVersion: report(.clientSessionError, message)
      default: report(.clientInternalError, message)
      }
      retry()
    }

    private func tellOfFailedQuery() {
      guard let failed = session?.failedQuery, let info = info(),
        info.status.failedQuery != Int64(failed.version)
      else { return }
      changeStatus {
        $0.failedQuery = Int64(failed.version)
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
      guard let fulfilled else { return }
      guard let info = info() else { return }
      // A query set that is on its way has not been answered; its answer makes the agent ask again.
      guard
        info.record.completeQueryVersion >= info.record.queryVersion
          || info.status.failedQuery == Int64(info.record.queryVersion)
      else { return }
      changeStatus {
        $0.downloads = max($0.downloads, fulfilled)
        $0.objectsToCome = 0
      }
      lookAtFile()
    }

    // MARK: Uploads

    /// Sends the query set, and what was written, if there is anything and nothing is on its way.
    func poll(_ info: SyncFile.Info) {
      guard isReady, let session else { return }
      let hasNewQuery = info.record.queryVersion != polledQuery
      guard hasNewQuery || (info.isDirty && !session.isUploading && !pace.gathers) else { return }
      if info.log != .short { digest() }
      do {
        try core.storage.begin()
        let actions = try self.session?.poll(&core) ?? []
        core.storage.rollback()
        polledQuery = info.record.queryVersion
        send(actions)
        tell(ofTooLarge: core.tooLarge)
      } catch {
        core.storage.rollback()
        log(.error) { "The agent cannot write: \(error)" }
        retry()
      }
    }
  }
#endif
