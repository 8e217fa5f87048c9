/// What the host of a session has to do.
public enum SessionAction: Hashable, Sendable {
  /// Send these bytes as one frame.
  case send([UInt8])
  /// Find out whose token this is, and call `authenticate`.
  case verify(Text)
  /// Close the connection, once what was sent before is on its way.
  case close
}

/// One connection, as the server sees it: a value that is fed with frames and says what to do. The
/// host flushes the core after feeding and before polling, so one flush may serve many sessions.
public struct ServerSession: Sendable {
  private enum State: Equatable {
    case waitsForHello
    case waitsForToken
    case verifies
    case waitsForBind
    case isBound(ClientID)
    case isClosed
  }

  private let app: Text
  private var state = State.waitsForHello
  private var user: Text?
  private var tokenExpiry: UInt64 = 0
  private var parts = Parts()
  /// Which of the client file's connections this is.
  private var binding: UInt64 = 0
  /// Whether the client is yet to say which classes it has. It may not write before it has the
  /// answer, which comes so before the slices of a download.
  private var awaitsClasses = true
  /// Whether the client has a query set, and is yet to send it: the server may know another one.
  private var awaitsQuery = false
  /// Whether the client says that it has come further than the server in the server's own history:
  /// if that is so, the server has lost something that it had made durable.
  public private(set) var isAhead = false
  /// The slice of which parts are still to be sent.
  private var outgoing: OutgoingParts?
  private var isLastSlice = false
  /// Pings that are answered when there is nothing more to send.
  private var pings: [UInt64] = []
  /// So many at the most; who sends more has no use for the answers.
  private static let pingsMax = 8
  /// How many parts of the download have been sent.
  private var partsSent: UInt64 = 0
  /// How many cells go in one transaction, and in one slice beyond that: fewer in tests.
  package var cellsOfOneTransaction = Limits.cellsOfOneTransaction
  package var cellsOfSlice = Limits.cellsOfSlice

  /// A connection to an app.
  public init(app: Text) { self.app = app }

  /// The client file of the connection, once it is known.
  public var client: ClientID? {
    if case .isBound(let client) = state { client } else { nil }
  }

  /// The bytes of a batch of which more is to come.
  public var pendingBytes: Int { parts.bytes.count }

  /// The bytes of a slice of which parts are still to be sent.
  public var unsentBytes: Int { outgoing?.bytes.count ?? 0 }

  /// Whether the client has said what it has, so that it can be sent something.
  public var isBound: Bool { client != nil }

  /// Whether the session is of use no more.
  public var isClosed: Bool { state == .isClosed }

  /// Takes a frame. Whatever is in it, the worst that comes of it is that the session is closed.
  public mutating func receive<Storage: ServerStorage>(
    _ bytes: [UInt8], _ core: inout ServerCore<Storage>, now: UInt64
  ) -> [SessionAction] {
    guard state != .isClosed else { return [] }
    let frame: Frame
    do {
      frame = try Frame.decode(bytes)
    } catch {
      return fail(SyncError(.badFrame, "A frame could not be decoded."), now)
    }
    // Who takes nothing is not polled, and may not go on writing.
    if isBound, now >= tokenExpiry {
      guard case .token = frame else { return failOfAge(now) }
    }
    do {
      return try receive(frame, &core, now: now)
    } catch {
      // The client may have to start over, and not learn of that before the connection ends.
      if let client, core.files[client]?.binding == binding { core.downloads[client] = nil }
      return fail(error, now)
    }
  }

  /// The host has found out whose the token is, and how long it is good; nil if it is not.
  public mutating func authenticate(
    _ user: Text?, expiry: UInt64, now: UInt64
  ) -> [SessionAction] {
    guard let user else { return fail(SyncError(.badToken, "The token is not valid."), now) }
    if let known = self.user, known != user {
      return fail(SyncError(.badToken, "The token is another user's."), now)
    }
    self.user = user
    tokenExpiry = expiry
    if state == .verifies { state = .waitsForBind }
    return [.send(Frame.accepted.encoded)]
  }

  /// What to send when nothing was received: the next part of what the client has missed. To be
  /// called again as long as it gives something, when the host can take more.
  public mutating func poll<Storage: ServerStorage>(
    _ core: inout ServerCore<Storage>, now: UInt64
  ) -> [SessionAction] {
    // The file's newest connection has the download.
    guard case .isBound(let client) = state else { return [] }
    guard let file = core.files[client] else {
      return fail(SyncError(.unavailable, "The client file is not known any more."), now)
    }
    guard file.binding == binding else { return [] }
    if now >= tokenExpiry { return failOfAge(now) }
    // Without its query set the client would lose what it sees, to be sent it again a moment later.
    if awaitsClasses || awaitsQuery { return [] }
    do {
      if outgoing == nil {
        guard let slice = try nextSlice(client, &core, now: now) else { return answerPings() }
        outgoing = OutgoingParts(slice.encoded(names: core.head.names))
        isLastSlice = slice.isLast
      }
      return [.send(nextPart().encoded)]
    } catch {
      return fail(error, now)
    }
  }

  private func nextSlice<Storage: ServerStorage>(
    _ client: ClientID, _ core: inout ServerCore<Storage>, now: UInt64
  ) throws(SyncError) -> DownloadSlice? {
    if !core.isDownloading(client) {
      guard core.downloads[client] != nil || core.files[client]?.offer == nil else {
        throw SyncError(.unavailable, "The download is not known any more; come again.")
      }
      guard let download = try core.beginDownload(for: client, now: now) else { return nil }
      core.downloads[client] = download
    }
    // Out of the core while it changes; and for good, if that fails.
    var download = core.downloads.removeValue(forKey: client)!
    let slice = try core.nextSlice(
      of: &download, cellsAtMost: cellsOfOneTransaction, cellsOfSlice: cellsOfSlice)
    core.downloads[client] = download
    // It takes what it is sent, whether it says something or not.
    core.noteSeen(client, now: now)
    return slice
  }

  private mutating func answerPings() -> [SessionAction] {
    defer { pings = [] }
    return pings.map { .send(Frame.pong($0).encoded) }
  }

  /// The next part of the slice that is being sent.
  private mutating func nextPart() -> Frame {
    let (bytes, isLast) = outgoing!.next()
    let frame = Frame.download(part: partsSent, isLast: isLast, bytes)
    partsSent += 1
    guard isLast else { return frame }
    outgoing = nil
    if isLastSlice { partsSent = 0 }
    return frame
  }

  private mutating func failOfAge(_ now: UInt64) -> [SessionAction] {
    fail(SyncError(.tokenExpired, "The token has run out."), now)
  }

  private mutating func fail(_ error: SyncError, _ now: UInt64) -> [SessionAction] {
    state = .isClosed
    let frame = Frame.error(error, time: now, retryAfterMilliseconds: 0)
    return [.send(frame.encoded), .close]
  }
}

extension ServerSession {
  private mutating func receive<Storage: ServerStorage>(
    _ frame: Frame, _ core: inout ServerCore<Storage>, now: UInt64
  ) throws(SyncError) -> [SessionAction] {
    if let client { core.noteSeen(client, now: now) }
    switch (frame, state) {
    case (.ping(let number), .isBound) where number > 0 && pings.count < Self.pingsMax:
      pings.append(number)
      return []
    case (.ping(let number), _): return [.send(Frame.pong(number).encoded)]
    case (.pong, _): return []
    case (.hello(let oldest, let newest, let app), .waitsForHello):
      guard oldest <= ProtocolVersion.newest, newest >= ProtocolVersion.oldest else {
        throw SyncError(.noCommonVersion, "There is no common version of the protocol.")
      }
      guard app == self.app else { throw SyncError(.unknownApp, "There is no such app.") }
      state = .waitsForToken
      let welcome = Frame.welcome(
        version: min(newest, ProtocolVersion.newest), epoch: core.head.epoch, time: now)
      return [.send(welcome.encoded)]
    case (.token(let token), .waitsForToken):
      state = .verifies
      return [.verify(token)]
    case (.token(let token), .isBound): return [.verify(token)]
    case (
      .bind(let client, let epoch, let cursor, let query, let batches, let download),
      .waitsForBind
    ):
      guard let user, client != .none else {
        throw SyncError(.unexpectedFrame, "A client file has a number.")
      }
      let goesOn = try core.bind(
        client, user: user, cursor: cursor, query: query, epoch: epoch, batches: batches,
        download: download, now: now)
      state = .isBound(client)
      binding = core.files[client]?.binding ?? 0
      awaitsQuery = query > 0
      isAhead = epoch == core.head.epoch && cursor > core.head.version
      let acknowledged = core.files[client]?.acknowledged ?? 0
      return [.send(Frame.bound(acknowledged: acknowledged, goesOn: goesOn).encoded)]
    case (_, .isBound(let client)): return try receive(frame, from: client, &core, now: now)
    default: throw SyncError(.unexpectedFrame, "This frame may not come now.")
    }
  }

  private mutating func receive<Storage: ServerStorage>(
    _ frame: Frame, from client: ClientID, _ core: inout ServerCore<Storage>, now: UInt64
  ) throws(SyncError) -> [SessionAction] {
    switch frame {
    case .schema(let classes):
      awaitsClasses = false
      let conflicts = core.addClasses(classes)
      return [.send(Frame.schemaResult(conflicts).encoded)]
    case .query(let version, let subscriptions):
      awaitsQuery = false
      let bytes = subscriptions.reduce(0) { $0 + $1.query.string.utf8.count }
      guard bytes <= core.subscriptionBytes else {
        let message = Text("All queries together have at most \(core.subscriptionBytes) bytes.")
        return [.send(Frame.queryFailed(version: version, index: 0, message: message).encoded)]
      }
      for (index, subscription) in subscriptions.enumerated() {
        guard let problem = core.storage.problem(of: subscription) else { continue }
        let failed = Frame.queryFailed(version: version, index: UInt64(index), message: problem)
        return [.send(failed.encoded)]
      }
      core.subscribe(client, version: version, to: subscriptions)
      return []
    case .upload(let number, let part, let isLast, let bytes):
      let whole = try parts.add(
        part, of: number, isLast: isLast, bytes, upTo: Limits.batchBytes)
      return try whole.map { bytes throws(SyncError) in
        try upload(bytes, number, client, &core, now)
      } ?? []
    case .confirm(let cursor, let query):
      guard outgoing == nil, !core.isDownloading(client) else {
        throw SyncError(.unexpectedFrame, "The download is not complete.")
      }
      core.confirm(client, cursor: cursor, query: query)
      return []
    case .error:
      state = .isClosed
      return [.close]
    default: throw SyncError(.unexpectedFrame, "This frame is the server's.")
    }
  }

  private func upload<Storage: ServerStorage>(
    _ bytes: [UInt8], _ number: UInt64, _ client: ClientID,
    _ core: inout ServerCore<Storage>, _ now: UInt64
  ) throws(SyncError) -> [SessionAction] {
    let received: ReceivedBatch
    do {
      received = try UploadBatch.decode(bytes, names: core.head.names)
    } catch {
      throw SyncError(.badFrame, "A batch could not be decoded.")
    }
    guard received.batch.number == number else {
      throw SyncError(.badFrame, "The batch has another number than its frames.")
    }
    do throws(SyncError) {
      let outcome = try core.upload(received, from: client, now: now)
      if outcome == .mustRebase, core.files[client]?.needsRebase == false {
        throw SyncError(.divergence, "The client is too far behind; it has to come anew.")
      }
      return []
    } catch  where error.code == .clockAhead {
      return [.send(Frame.error(error, time: now, retryAfterMilliseconds: 0).encoded)]
    }
  }
}
