import SyncProtocol

/// What the server does wrong, or slowly, for tests; used on its loop.
struct Failures {
  /// What a client is told instead of being served.
  struct Refusal {
    var error: SyncProtocol.SyncError
    var retryAfterMilliseconds: UInt64 = 0
    /// How many times more.
    var count = Int.max
  }

  var ofConnections: Refusal?
  var ofUploads: Refusal?
  var delayMilliseconds: Int64 = 0
  /// Whether there is nothing where clients look for the server.
  var hasMoved = false
  /// Whether it says nothing but that it is there.
  var answersOnlyPings = false
  /// How many slices of downloads leave before the connection ends, or stalls; nil: all.
  var slicesLeft: Int?
  /// Whether the connection stays then, and is sent nothing more.
  var stalls = false
  var connected: (_ startsOver: Bool) -> Void = { _ in }
  var refusedUpload: (ContinuousClock.Instant) -> Void = { _ in }
}

extension TestServer {
  /// Why a client is not served.
  public enum RefusalReason: Sendable {
    /// What the client has does not go with what the server has.
    case divergence
    /// The server has no time.
    case unavailable
    /// The server could not store something.
    case storage

    fileprivate var error: SyncProtocol.SyncError {
      let code: ErrorCode =
        switch self {
        case .divergence: .divergence
        case .unavailable: .unavailable
        case .storage: .storage
        }
      return SyncProtocol.SyncError(code, "The test wants it so.")
    }
  }

  /// Refuses uploads from now on, and ends their connections.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - reason: what the client is told.
  ///   - retryAfterMilliseconds: for how long the server wants to be left alone.
  public func refuseUploads(
    _ count: Int = .max, with reason: RefusalReason, retryAfterMilliseconds: UInt64 = 0
  ) throws {
    try onLoop {
      self.failures.ofUploads = Failures.Refusal(
        error: reason.error, retryAfterMilliseconds: retryAfterMilliseconds, count: count)
    }
  }

  /// Takes uploads again.
  public func takeUploads() throws { try onLoop { self.failures.ofUploads = nil } }

  /// Refuses each client from now on, once the client has said who it is.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - retryAfterMilliseconds: for how long the server wants to be left alone.
  public func refuseConnections(
    _ count: Int = .max, with reason: RefusalReason, retryAfterMilliseconds: UInt64 = 0
  ) throws {
    try onLoop {
      self.failures.ofConnections = Failures.Refusal(
        error: reason.error, retryAfterMilliseconds: retryAfterMilliseconds, count: count)
    }
  }

  /// From now on there is nothing at the address of sync, or there is again.
  public func move(away isAway: Bool) throws { try onLoop { self.failures.hasMoved = isAway } }

  /// Takes connections from now on, and answers nothing on them but pings.
  public func answerOnlyPings() throws { try onLoop { self.failures.answersOnlyPings = true } }

  /// Ends the next connection that has been sent so many slices of downloads.
  public func cutDownload(afterSlices count: Int) throws {
    try onLoop {
      self.failures.slicesLeft = count
      self.failures.stalls = false
    }
  }

  /// Sends nothing more on the next connection that has been sent so many slices of downloads. Other
  /// than one that ends, it brings all of them to the client.
  public func stallDownload(afterSlices count: Int) throws {
    try onLoop {
      self.failures.slicesLeft = count
      self.failures.stalls = true
    }
  }

  /// Refuses no clients any more.
  public func takeConnections() throws { try onLoop { self.failures.ofConnections = nil } }

  /// Sends everything so much later from now on.
  public func delay(milliseconds: Int64) throws {
    try onLoop { self.failures.delayMilliseconds = milliseconds }
  }

  /// Takes no new classes and properties from now on.
  public func closeSchema() throws { try onLoop { self.core.isSchemaOpen = false } }

  /// From now on no user is logged in.
  public func forgetLogIns() throws {
    try onLoop {
      self.accounts.access = [:]
      self.accounts.refresh = [:]
    }
  }

  /// Lets somebody else answer who wants a new token, as the network of a hotel does.
  ///
  /// - Parameter status: of the answer; nil: the server answers again.
  public func letPortalAnswer(status: UInt?) throws {
    try onLoop { self.accounts.portalStatus = status }
  }

  /// From now on, for each connection whose client has said who it is, whether it starts over.
  public func connections() throws -> AsyncStream<Bool> {
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    try onLoop { self.failures.connected = { continuation.yield($0) } }
    return stream
  }

  /// From now on, for each upload that is refused, when that was.
  public func refusedUploads() throws -> AsyncStream<ContinuousClock.Instant> {
    let (stream, continuation) = AsyncStream<ContinuousClock.Instant>.makeStream()
    try onLoop { self.failures.refusedUpload = { continuation.yield($0) } }
    return stream
  }

  /// What to do instead of taking a frame; nil: nothing.
  func refusal(of frame: [UInt8], now: UInt64) -> [SessionAction]? {
    if failures.answersOnlyPings {
      guard case .ping(let number)? = try? Frame.decode(frame) else { return [] }
      return [.send(Frame.pong(number).encoded)]
    }
    switch try? Frame.decode(frame) {
    case .bind(_, let epoch, _, _, _, _):
      failures.connected(epoch == .max)
      return refuse(\.ofConnections, now)
    case .upload:
      let actions = refuse(\.ofUploads, now)
      if actions != nil { failures.refusedUpload(.now) }
      return actions
    default: return nil
    }
  }

  /// Whether the connection that a frame is to be sent to ends or stalls instead.
  func cuts(before frame: [UInt8]) -> Bool {
    guard let left = failures.slicesLeft, case .download(_, true, _)? = try? Frame.decode(frame)
    else { return false }
    failures.slicesLeft = left > 0 ? left - 1 : nil
    return left == 0
  }

  private func refuse(
    _ kind: WritableKeyPath<Failures, Failures.Refusal?>, _ now: UInt64
  ) -> [SessionAction]? {
    guard let refusal = failures[keyPath: kind], refusal.count > 0 else { return nil }
    failures[keyPath: kind]?.count -= 1
    let frame = Frame.error(
      refusal.error, time: now, retryAfterMilliseconds: refusal.retryAfterMilliseconds)
    return [.send(frame.encoded), .close]
  }
}
