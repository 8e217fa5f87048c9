/// One connection, as the client sees it: a value that is fed with frames and says what to do.
public struct ClientSession: Sendable {
  private enum State: Equatable {
    case waitsForWelcome
    case waitsForAcceptance
    case waitsForBinding
    case isBound
    case isClosed
  }

  private let app: Text
  private let token: Text
  private let classes: [SchemaClass]
  private var state = State.waitsForWelcome
  private var parts = Parts()
  /// The number that the next part of a download must have, and that of its slice's first part.
  private var nextPart: UInt64 = 0
  private var firstPart: UInt64 = 0
  private var epoch: UInt64 = 0
  private var batchInFlight: UInt64?
  /// Whether the server has called a batch ahead of its clock and acknowledged none since.
  private var hasCorrectedClock = false
  /// The query set that was sent last in this connection.
  private var sentQuery: UInt64?
  private var knowsSchema = false
  /// The error that ended the connection, if one did.
  public private(set) var failure: SyncError?
  /// For how long the server does not want the client to come again.
  public private(set) var retryAfterMilliseconds: UInt64 = 0
  /// What the frame that was received last brought, if it completed a part of a download.
  public private(set) var applied: AppliedSlice?
  /// The query set that the server could not take, and why.
  public private(set) var failedQuery: (version: UInt64, message: Text)?

  private let discardsUnsynced: Bool
  /// The download that an earlier connection was cut in, until it is known whether it goes on.
  private var earlier: DownloadProgress?
  /// Of the download under way.
  private var progress = DownloadProgress()
  /// Whether the client has come with more classes than before, to be sent what is new in them.
  public private(set) var asksForNewClasses = false

  /// A connection to an app, for a program with these classes.
  ///
  /// - Parameter discardsUnsynced: whether a reset discards what the server has not acknowledged,
  ///   and what it does not have any more.
  /// - Parameter download: what an earlier connection of the same file was cut in (`interrupted`).
  public init(
    app: Text, token: Text, classes: [SchemaClass], discardsUnsynced: Bool = false,
    goingOnWith download: DownloadProgress? = nil
  ) {
    self.app = app
    self.token = token
    self.classes = classes
    self.discardsUnsynced = discardsUnsynced
    earlier = download
  }

  /// The download that goes on with the next connection if this one is cut now.
  public var interrupted: DownloadProgress? {
    if let earlier { return failure?.code == .divergence ? nil : earlier }
    switch failure?.code {
    case nil, .tokenExpired, .badToken, .unavailable: break
    default: return nil
    }
    return progress.position.slices > 0 ? progress : nil
  }

  /// Whether the connection is of use no more.
  public var isClosed: Bool { state == .isClosed }

  /// Whether a batch is on its way and not acknowledged.
  public var isUploading: Bool { batchInFlight != nil }

  /// The first frame.
  public func start() -> [SessionAction] {
    let hello = Frame.hello(
      oldest: ProtocolVersion.oldest, newest: ProtocolVersion.newest, app: app)
    return [.send(hello.encoded)]
  }

  /// Takes a frame.
  public mutating func receive<Storage: ClientStorage>(
    _ bytes: [UInt8], _ core: inout ClientCore<Storage>, now: UInt64
  ) -> [SessionAction] {
    applied = nil
    guard state != .isClosed else { return [] }
    do {
      return try receive(try Frame.decode(bytes), &core, now: now)
    } catch let error as SyncError {
      core.storage.rollback()
      return close(error, &core)
    } catch {
      core.storage.rollback()
      return close(SyncError(.badFrame, "A frame could not be decoded."), &core)
    }
  }

  /// Whether the query set has to be sent: it is new in this connection, or there is none and the
  /// server knows one, of a later state of the file, and waits for it.
  public func owesQuery(_ record: ClientRecord) -> Bool {
    if let sentQuery { return record.queryVersion > sentQuery }
    return record.queryVersion != 0 || record.completeQueryVersion != 0
  }

  /// What to send when nothing was received: the query set, and what was written, if nothing is
  /// on its way.
  public mutating func poll<Storage: ClientStorage>(
    _ core: inout ClientCore<Storage>
  ) throws(SyncError) -> [SessionAction] {
    guard state == .isBound, knowsSchema else { return [] }
    var frames: [Frame] = []
    let record = core.storage.record
    if owesQuery(record) {
      frames.append(.query(version: record.queryVersion, record.subscriptions))
      sentQuery = record.queryVersion
    }
    if batchInFlight == nil, let batch = try core.makeBatch() {
      batchInFlight = batch.number
      frames += Parts.cut(batch.encoded(names: core.storage.record.names)) {
        .upload(batch: batch.number, part: $0, isLast: $1, $2)
      }
    }
    return frames.map { .send($0.encoded) }
  }

  private mutating func close<Storage: ClientStorage>(
    _ error: SyncError, _ core: inout ClientCore<Storage>
  ) -> [SessionAction] {
    state = .isClosed
    failure = error
    if error.code == .divergence {
      // What the frame had begun was taken back, and the transaction with it.
      core.storage.beginTransaction()
      core.storage.record.mustStartOver = true
      try? core.storage.commit()
    }
    return [.close]
  }
}

extension ClientSession {
  /// Throws the error, unless it says that the clock is ahead, for the first time.
  private mutating func correctClock<Storage: ClientStorage>(
    _ error: SyncError, _ time: UInt64, _ pause: UInt64, _ core: inout ClientCore<Storage>,
    now: UInt64
  ) throws(SyncError) {
    // Corrected once and still ahead: again at once would be again and again.
    guard error.code == .clockAhead, state == .isBound, !hasCorrectedClock else {
      retryAfterMilliseconds = pause
      throw error
    }
    hasCorrectedClock = true
    try core.correctClock(now: now, server: time)
    batchInFlight = nil
  }

  private mutating func receive<Storage: ClientStorage>(
    _ frame: Frame, _ core: inout ClientCore<Storage>, now: UInt64
  ) throws -> [SessionAction] {
    switch (frame, state) {
    case (.ping(let number), _): return [.send(Frame.pong(number).encoded)]
    case (.pong, _): return []
    case (.error(let error, let time, let pause), _):
      try correctClock(error, time, pause, &core, now: now)
      return []
    case (.welcome(let version, let epoch, let time), .waitsForWelcome):
      guard (ProtocolVersion.oldest...ProtocolVersion.newest).contains(version) else {
        throw SyncError(.noCommonVersion, "There is no common version of the protocol.")
      }
      self.epoch = epoch
      progress = DownloadProgress(
        core.storage.record, epoch: epoch, discardsUnsynced: discardsUnsynced, classes: classes)
      asksForNewClasses = core.storage.record.hasNewClasses
      if let known = earlier, !known.isUnchanged(progress) { earlier = nil }
      try core.correctClock(now: now, server: time)
      state = .waitsForAcceptance
      return [.send(Frame.token(token).encoded)]
    case (.accepted, .waitsForAcceptance):
      state = .waitsForBinding
      let record = core.storage.record
      let bind = Frame.bind(
        client: record.client, epoch: progress.asksToStartOver ? .max : record.epoch,
        cursor: record.cursor, query: record.completeQueryVersion, batches: record.knownBatches,
        download: earlier?.position ?? .none)
      return [.send(bind.encoded)]
    case (.accepted, .isBound): return []
    case (.bound(_, let goesOn), .waitsForBinding):
      if goesOn {
        guard let earlier else {
          throw SyncError(.unexpectedFrame, "No download was asked to go on.")
        }
        progress = earlier
      }
      earlier = nil
      state = .isBound
      sentQuery = nil
      return [.send(Frame.schema(classes).encoded)]
    case (.schemaResult(let conflicts), .isBound):
      core.storage.record.setAside = conflicts
      try core.storage.commit()
      knowsSchema = true
      return []
    case (.queryFailed(let version, _, let message), .isBound):
      // Of an earlier one nobody asks any more.
      if version == sentQuery { failedQuery = (version, message) }
      return []
    case (.download(let part, let isLast, let bytes), .isBound):
      // A slice that is missing, or comes twice or too late, would not show otherwise.
      guard part == nextPart else {
        throw SyncError(.unexpectedFrame, "A part of the download is missing.")
      }
      nextPart += 1
      guard
        let whole = try parts.add(
          part - firstPart, of: 0, isLast: isLast, bytes, upTo: Limits.sliceBytes)
      else { return [] }
      firstPart = nextPart
      return try download(whole, &core)
    default: throw SyncError(.unexpectedFrame, "This frame may not come now.")
    }
  }

  /// Whether a frame that is to be received next begins a reset, for a host that wants to do
  /// something before.
  public func beginsReset(_ bytes: [UInt8]) -> Bool {
    guard progress.knownEpoch != 0, progress.rebase.mentioned.isEmpty,
      case .download(_, true, let part)? = try? Frame.decode(bytes)
    else { return false }
    return progress.isReset(floorOfRebase: DownloadSlice.floorOfRebase(parts.bytes + part))
  }

  private mutating func download<Storage: ClientStorage>(
    _ bytes: [UInt8], _ core: inout ClientCore<Storage>
  ) throws -> [SessionAction] {
    let slice = try DownloadSlice.decode(bytes, names: &core.storage.record.names)
    guard progress.position.slices == 0 || progress.position.number == slice.download else {
      throw SyncError(.unexpectedFrame, "The slice is another download's.")
    }
    let isReset = progress.isReset(floorOfRebase: slice.floorOfRebase)
    if isReset {
      let record = core.storage.record
      if record.reset != nil, progress.rebase.mentioned.isEmpty { progress.rebase.isResumed = true }
      let began =
        record.reset
        ?? ClientRecord.SentBatch(
          number: .max, time: record.clock.latest, element: record.elements, since: .max)
      core.storage.record.reset = began
      if discardsUnsynced { progress.rebase.discarded = began }
    }
    // A rebase that is not complete has to be the same one when it starts over.
    if slice.isLast || core.storage.record.epoch == 0 { core.storage.record.epoch = epoch }
    // What came of a class before the program had it found no place.
    if slice.isLast, slice.isRebase, asksForNewClasses,
      (core.storage.classes ?? classes) == classes
    {
      core.storage.record.hasNewClasses = false
    }
    var brought = AppliedSlice(slice, isReset: isReset)
    core.storage.willApply(brought)
    try core.apply(slice, rebase: &progress.rebase)
    brought.hasAcknowledged = slice.isLast && batchInFlight.map { $0 <= slice.acknowledged } == true
    applied = brought
    guard slice.isLast else {
      progress.position.number = slice.download
      progress.position.slices += 1
      return []
    }
    progress = progress.next(core.storage.record)
    nextPart = 0
    firstPart = 0
    if let batch = batchInFlight, batch <= slice.acknowledged || slice.isRebase {
      batchInFlight = nil
      hasCorrectedClock = false
    }
    return [.send(Frame.confirm(slice.to, query: slice.queryVersion).encoded)]
  }
}
