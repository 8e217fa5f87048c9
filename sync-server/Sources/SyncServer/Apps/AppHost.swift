import Dispatch
import Foundation
import Logging
import Platform
import Storage
import SyncProtocol

/// Names a connection of an app.
struct LinkID: Hashable, Sendable {
  var number: UInt64
}

/// What an app hears of its connections.
enum LinkEvent: Sendable {
  case opened(LinkID, SocketOutlet)
  case frame(LinkID, [UInt8])
  /// Whose the token is, and until when, in milliseconds; nil if it is not good.
  case verified(LinkID, VerifiedToken?)
  /// The token is good no more: the session was revoked, or the user disabled.
  case revoked(LinkID)
  /// Bytes have left the server, for which the app waits.
  case drained(LinkID)
  case closed(LinkID)
  /// The server shuts down.
  case quiesce(LinkID)
  /// Some time has passed.
  case tick
  /// Somebody wants to know when all before has been done.
  case barrier(@Sendable () -> Void)
}

/// A good token.
struct VerifiedToken: Hashable, Sendable {
  var user: String
  /// Milliseconds since 1970.
  var expiry: UInt64
}

/// One app: its core, its file and its connections, on an executor of its own.
///
/// What connections say is put into a list; a turn takes all of it, merges it, makes it durable in
/// one commit, and only then answers. What comes during a flush is in the next turn, so uploads
/// that arrive together share a flush.
final class AppHost: @unchecked Sendable {
  // Sendable: what changes is in `inbox`, behind its lock, or is used on `queue` alone.

  struct Inbox {
    var events: [LinkEvent] = []
    var isScheduled = false
    var nextLink: UInt64 = 1
    /// Whether the last commit failed.
    var isBroken = false
    /// Whether something in the file could not be read.
    var isDamaged = false
  }

  let name: String
  let limits: ServerLimits
  let logger: Logger
  let metrics: AppMetrics
  private let verify: @Sendable (String) async -> VerifiedToken?
  private let queue: DispatchQueue
  private let inbox = LockedValue(Inbox())
  var core: ServerCore<AppStorage>
  var links: [LinkID: Link] = [:]
  /// Connections that may have missed something.
  var waiting: Set<LinkID> = []
  /// Connections that wait until others have taken what they are sent.
  var starved: Set<LinkID> = []
  /// What this turn has for connections.
  var outbox = Outbox()
  /// The bytes of slices of which parts are still to be sent.
  var preparedBytes = 0
  /// Connections of which something is to be sent after the flush.
  var speaking: Set<LinkID> = []
  /// The bytes of batches of which parts are missing.
  var pendingBytes = 0
  private var hasWarnedOfCopy = false
  private var lastTrim: UInt64
  private var ticks: UInt64 = 0
  private static let ticksOfRound: UInt64 = 12
  /// The connection of each client that has said what it has.
  var linkOfClient: [ClientID: LinkID] = [:]

  /// - Parameter verify: whose a token is.
  init(
    name: String, path: String, isSchemaOpen: Bool, limits: ServerLimits, logger: Logger,
    metrics: AppMetrics, verify: @escaping @Sendable (String) async -> VerifiedToken?
  ) throws {
    self.name = name
    self.limits = limits
    self.logger = logger
    self.metrics = metrics
    self.verify = verify
    queue = DispatchQueue(label: "app.\(name)")
    core = try ServerCore(
      storage: AppStorage(path: path, queryRows: limits.queryRows), isSchemaOpen: isSchemaOpen)
    core.subscriptionBytes = limits.subscriptionBytes
    lastTrim = Self.uptime
  }

  /// Milliseconds since 1970.
  static var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1_000) }

  /// Milliseconds of a clock that nobody sets: it never goes back.
  static var uptime: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }

  /// Adds a connection. Any thread.
  func open(_ outlet: SocketOutlet) -> LinkID {
    let id = inbox.withLock { inbox in
      defer { inbox.nextLink += 1 }
      return LinkID(number: inbox.nextLink)
    }
    post(.opened(id, outlet))
    return id
  }

  /// Whether nothing could be stored the last time that there was something, or something could not
  /// be read since the server has started.
  var isBroken: Bool { inbox.withLock { $0.isBroken || $0.isDamaged } }

  /// Says what has happened. Any thread; never waits.
  func post(_ event: LinkEvent) {
    let isFirst = inbox.withLock { inbox in
      inbox.events.append(event)
      defer { inbox.isScheduled = true }
      return !inbox.isScheduled
    }
    if isFirst { queue.async { self.turn() } }
  }

  // MARK: On the queue

  private func turn() {
    let events = inbox.withLock { inbox in
      defer { inbox.events = [] }
      return inbox.events
    }
    let before = core.head.version
    for event in events { take(event) }
    if settle(since: before) {
      deliver()
      poll()
    }
    outbox.flush()
    noteDamage()
    for case .barrier(let done) in events { done() }
    rest()
  }

  /// Makes durable what was merged, and what follows from it for those whom it concerns.
  private func settle(since version: ServerVersion) -> Bool {
    guard flush() else { return false }
    if core.head.version == version { return true }
    noteNews()
    return flush()
  }

  /// What could not be read is logged, and makes the app one that is not in order.
  private func noteDamage() {
    guard let failure = core.storage.takeFailure() else { return }
    logger.error(
      "the app's file cannot be read; restore a backup",
      metadata: ["app": "\(name)", "error": "\(failure)"])
    if !failure.isResourceExhausted { inbox.withLock { $0.isDamaged = true } }
  }

  /// Goes on with the next turn, if there is anything for it.
  private func rest() {
    let mayRest = waiting.isEmpty
    let isDone = inbox.withLock { inbox in
      if inbox.events.isEmpty && mayRest { inbox.isScheduled = false }
      return !inbox.isScheduled
    }
    if !isDone { queue.async { self.turn() } }
  }

  private func take(_ event: LinkEvent) {
    switch event {
    case .opened(let id, let outlet):
      links[id] = Link(outlet: outlet, session: ServerSession(app: Text(name)), since: Self.uptime)
      metrics.connections.record(links.count)
    case .frame(let id, let bytes): receive(bytes, id)
    case .verified(let id, let token): authenticate(id, token)
    case .revoked(let id):
      refuse(
        id, SyncError(.tokenExpired, "The token is no longer good."), retryAfterMilliseconds: 0)
    case .drained(let id):
      guard links[id]?.isStalled == true else { return }
      links[id]!.isStalled = false
      waiting.insert(id)
    case .closed(let id):
      forget(id)
      metrics.connections.record(links.count)
    case .quiesce(let id):
      refuse(id, SyncError(.unavailable, "The server shuts down."), retryAfterMilliseconds: 1_000)
    case .tick: tick()
    case .barrier: return
    }
  }

  private func receive(_ bytes: [UInt8], _ id: LinkID) {
    guard let link = links[id] else { return }
    metrics.framesReceived.increment()
    metrics.bytesReceived.increment(by: bytes.count)
    if link.isClosing { return outbox.note(taken: bytes.count, from: link.outlet) }
    core.storage.renewAllowance()
    let actions = links[id]!.session.receive(bytes, &core, now: Self.now)
    outbox.note(taken: bytes.count, from: links[id]!.outlet)
    perform(actions, id)
    if links[id]!.session.isAhead { warnOfCopy(id) }
    if links[id]!.session.isBound {
      waiting.insert(id)
      follow(id)
    }
    checkMemory(id)
  }

  /// Says once that the file may be an older copy of itself. Nothing is done about that: the client
  /// may say what is not so, and a new history is work for all others.
  private func warnOfCopy(_ id: LinkID) {
    guard !hasWarnedOfCopy else { return }
    hasWarnedOfCopy = true
    logger.warning(
      """
      a client has seen more than the app's file has; if the file was replaced by an older copy \
      that `sync-server backup` has not made, stop the server, make a backup of the copy, and \
      serve that
      """,
      metadata: ["app": "\(name)", "user": "\(links[id]?.user ?? "?")"])
  }

  /// Notes what a session wants done; it is done after the flush.
  func perform(_ actions: [SessionAction], _ id: LinkID) {
    if !actions.isEmpty { speaking.insert(id) }
    for action in actions {
      switch action {
      case .send(let bytes): links[id]?.outgoing.append(bytes)
      case .close: links[id]?.isClosing = true
      case .verify(let token):
        let verify = verify
        links[id]?.token = token.string
        Task { self.post(.verified(id, await verify(token.string))) }
      }
    }
  }

  private func authenticate(_ id: LinkID, _ token: VerifiedToken?) {
    guard links[id] != nil else { return }
    if let token, links[id]!.user == nil {
      let others = links.values.count { $0.user == token.user }
      if others >= limits.connectionsPerUser {
        return refuse(
          id, SyncError(.beyondLimit, "The user has too many connections."),
          retryAfterMilliseconds: 30_000)
      }
      links[id]!.user = token.user
    }
    if token == nil { metrics.refusals.increment() }
    let actions = links[id]!.session.authenticate(
      token.map { Text($0.user) }, expiry: token?.expiry ?? 0, now: Self.now)
    perform(actions, id)
  }

  /// Sends an error and closes.
  func refuse(_ id: LinkID, _ error: SyncError, retryAfterMilliseconds: UInt64) {
    let frame = Frame.error(
      error, time: Self.now, retryAfterMilliseconds: retryAfterMilliseconds)
    links[id]?.outgoing.append(frame.encoded)
    links[id]?.isClosing = true
    speaking.insert(id)
  }

  /// Makes durable what was merged. If that fails nothing that was merged counts: the clients keep
  /// it, and come again.
  private func flush() -> Bool {
    guard core.needsFlush else { return true }
    do {
      let start = ContinuousClock.now
      try core.flush()
      metrics.commits.increment()
      inbox.withLock { $0.isBroken = false }
      metrics.commitSeconds.record((ContinuousClock.now - start) / .seconds(1))
      return true
    } catch {
      metrics.failedCommits.increment()
      inbox.withLock { $0.isBroken = true }
      let cause = core.storage.takeFailure().map { "\($0)" } ?? "\(error)"
      logger.error("a commit failed", metadata: ["app": "\(name)", "error": "\(cause)"])
      for id in Array(links.keys) {
        links[id]!.outgoing = []
        refuse(id, error, retryAfterMilliseconds: 5_000)
      }
      waiting = []
      deliver()
      do { try core.reload() } catch {
        let cause = core.storage.takeFailure().map { "\($0)" } ?? "\(error)"
        logger.critical(
          "the app cannot be read", metadata: ["app": "\(name)", "error": "\(cause)"])
        inbox.withLock { $0.isDamaged = true }
      }
      return false
    }
  }

  /// Finds out whether a token is still good.
  private func checkToken(_ link: Link, _ id: LinkID) {
    guard let token = link.token else { return }
    let verify = verify
    Task {
      if await verify(token) == nil { self.post(.revoked(id)) }
    }
  }

  private func tick() {
    let (now, uptime) = (Self.now, Self.uptime)
    ticks += 1
    for (id, link) in links {
      if link.session.isBound {
        // Cursors of those whom nothing concerned move on now and then.
        if id.number % Self.ticksOfRound == ticks % Self.ticksOfRound {
          waiting.insert(id)
          checkToken(link, id)
        }
      } else if uptime - link.since > limits.handshakeMilliseconds {
        refuse(
          id, SyncError(.unexpectedFrame, "The client says nothing."), retryAfterMilliseconds: 0)
      }
    }
    makeRoom()
    core.forgetDownloads(before: now)
    guard uptime - lastTrim >= limits.trimIntervalMilliseconds else { return }
    lastTrim = uptime
    do {
      try core.flush()
      try core.trim(
        expiry: now - min(now, limits.horizonMilliseconds),
        removal: now - min(now, 2 * limits.horizonMilliseconds))
    } catch {
      logger.warning("trimming failed", metadata: ["app": "\(name)", "error": "\(error)"])
    }
  }
}
