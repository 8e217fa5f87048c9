/// What a client file keeps about itself.
public struct ClientRecord: Sendable, Equatable {
  /// A batch that was made: acknowledged, it covers what was written up to here.
  public struct SentBatch: Sendable, Equatable {
    /// Its number.
    public var number: UInt64
    /// The time of the newest write in it.
    public var time: UInt64
    /// The newest element of a list in it.
    public var element: UInt64
    /// It has the objects that were dirty since then or longer.
    public var since: UInt64

    /// Before the first one.
    static let none = SentBatch(number: 0, time: 0, element: 0, since: 0)
  }

  /// Writers whose writes are in the log, up to a time.
  public struct PastWriter: Sendable, Equatable {
    /// The writer's number.
    public var number: UInt64
    /// The newest of its writes.
    public var last: UInt64
  }

  /// Which client file this is.
  public let client: ClientID
  /// The number of who writes the file now.
  public private(set) var writer: UInt64 = 0
  /// Those before, oldest first, until the log is empty.
  public private(set) var pastWriters: [PastWriter] = []
  /// The history of the server that the cursor is in; 0 before the first connection.
  public var epoch: UInt64 = 0
  /// Whether what the client has is not what the server thinks, so that it has to start over: in
  /// the middle of a download, or after an error.
  public var mustStartOver = false
  /// Where the client was when a reset began that has not ended, over all connections that it
  /// takes: if it discards what was written, then what was written until then.
  public var reset: SentBatch?
  /// Whether the program has got classes or properties since, so that the client has to start over
  /// to be sent what it had no place for.
  public var hasNewClasses = false
  /// Whether the file has begun with what another one had, and not heard of the server yet. If that
  /// has another history, it is given back only what the program has written to since.
  public var isSeed = false
  /// What has been applied of the server.
  public var cursor = ServerVersion.zero
  /// Up to where it has heard of the server: within a download further than the cursor.
  public var heard = ServerVersion.zero
  /// Deletions up to here are forgotten.
  public var floor = ServerVersion.zero
  /// The clock of writes.
  public var clock = HybridClock()
  /// The latest time that came from the server.
  public var receivedTime: UInt64 = 0
  /// How far the machine's clock is ahead of the server's, if that is too far, in milliseconds.
  public var millisecondsAhead: UInt64 = 0
  /// The newest batch. Batches are numbered by the clock: those that a copy of the file makes, or
  /// the file itself after it has gone back to an earlier state, have other numbers.
  public var batch: UInt64 = 0
  /// The newest batch that is known to be merged.
  public var acknowledged: UInt64 = 0
  /// Batches that are not acknowledged, oldest first.
  public var sent: [SentBatch] = []
  /// The number of the newest element of a list that the client has made.
  public var elements: UInt64 = 0
  /// What the program wants to see, and which of its query sets that is.
  public var subscriptions: [Subscription] = []
  /// The number of the query set.
  public var queryVersion: UInt64 = 0
  /// The query set that what the client has is complete for; one that it does not know if its file
  /// has gone back to an earlier state.
  public var completeQueryVersion: UInt64 = 0
  /// Whether all is there that the program wants to see.
  public var isQueryComplete: Bool { queryVersion == 0 || completeQueryVersion == queryVersion }
  /// The names of classes and properties.
  public var names = Names()
  /// What the server does not take; changes of it wait.
  public var setAside: [Schema.Conflict] = []

  /// The batches of this file that the server may have merged last.
  var knownBatches: [UInt64] {
    sent.suffix(Limits.knownBatches - 1).map(\.number) + [acknowledged]
  }

  /// A file that has never been connected.
  public init(client: ClientID) { self.client = client }

  /// A file that begins with what another one has of a server, and starts over. Numbers go on where
  /// states of objects have some, and what is put into lists is put there knowing what they have.
  public init(client: ClientID, seededBy seed: ClientRecord) {
    self.init(client: client)
    mustStartOver = true
    isSeed = true
    epoch = seed.epoch
    cursor = seed.cursor
    heard = seed.heard
    clock = seed.clock
    receivedTime = seed.receivedTime
    batch = seed.batch
    elements = seed.elements
    subscriptions = seed.subscriptions
    queryVersion = seed.queryVersion
    // So the server waits for the query set, and does not begin with a view of nothing.
    completeQueryVersion = seed.completeQueryVersion
    names = seed.names
  }

  /// From its parts, but for the rest.
  init(client: ClientID, writer: UInt64, pastWriters: [PastWriter]) {
    self.client = client
    self.writer = writer
    self.pastWriters = pastWriters
  }
}

extension ClientRecord {
  /// A file that is opened more often than that while nothing empties the log keeps its writer.
  package static let pastWritersMax = 256

  /// Who writes the file now.
  public var author: ClientID { client.writer(writer) }

  /// Who wrote what is in the log, by its time.
  func author(at time: UInt64) -> ClientID {
    let past = pastWriters.first { time <= $0.last }
    return client.writer(past?.number ?? writer)
  }

  /// The file has been opened, or may have gone back to an earlier state.
  ///
  /// - Parameter isLogged: whether the log has writes that the states do not have.
  /// - Returns: false, with nothing changed, if there are too many past writers to have one more.
  public mutating func renewWriter(_ number: UInt64, isLogged: Bool) -> Bool {
    if isLogged {
      if pastWriters.count >= Self.pastWritersMax { return false }
      pastWriters.append(PastWriter(number: writer, last: clock.latest))
    }
    writer = number
    return true
  }

  /// The log is empty.
  public mutating func forgetPastWriters() { pastWriters = [] }
}
