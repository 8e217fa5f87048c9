/// The server's part of sync, without network, clock and disk: merges batches, decides what each
/// client sees, and makes downloads.
///
/// Uploads are merged in memory and are durable with the next `flush`, which may cover many of
/// them; nothing is sent, and nothing acknowledged, before that. Invariant: `objects` and `files`
/// hold what storage holds, or what `changes` will write there.
public struct ServerCore<Storage: ServerStorage> {
  /// Where the state is kept.
  public package(set) var storage: Storage
  /// What is known besides objects and client files.
  public internal(set) var head: ServerHead
  /// All client files.
  public internal(set) var files: [ClientID: ClientFile] = [:]
  /// Whether clients may add classes and properties.
  public var isSchemaOpen: Bool
  /// The bytes of an object, more or less: fewer in tests.
  package var objectBytes = Limits.objectBytes
  /// Of how many objects a client may not know the state: fewer in tests.
  package var unansweredObjects = Limits.unansweredObjects
  /// How many objects the downloads of clients that are away have: fewer in tests.
  package var awayMax = 2_000_000
  /// How many objects may have been offered to a client that is away for longer: fewer in tests.
  package var offerMax = 1_000
  /// The bytes of all queries of one client file.
  public var subscriptionBytes = Limits.frameBytes
  var objects: [ObjectID: ServerObject] = [:]
  /// The bytes of `objects` are not more, once all is flushed; one that changes counts each time.
  private var cachedBytes = 0
  /// Those that clients have not confirmed, in memory alone: a client that is cut off within one
  /// goes on with it, if it comes soon.
  var downloads: [ClientID: Download] = [:]
  /// The newest one's.
  var downloadNumber: UInt64 = 0
  /// Of those, the clients that are not connected, longest away first.
  var away: [ClientID] = []
  /// Clients whose downloads are not kept any more, and what was offered in them is.
  private var evicted: Set<ClientID> = []
  /// Up to where marks were forgotten since the core was made; nil if they never were.
  var trimmedFloor: ServerVersion?
  /// The latest that the machine's clock has said, in milliseconds. It may have been put back
  /// since: clients follow times that the server has taken before, and are not ahead for that.
  var latestNow: UInt64
  private var changedObjects: Set<ObjectID> = []
  private var forgottenObjects: Set<ObjectID> = []
  private var changedFiles: Set<ClientID> = []
  private var writers: [ObjectID: Set<ClientID>] = [:]
  private var isHeadChanged = false

  /// Goes on from what storage has.
  public init(storage: Storage, isSchemaOpen: Bool) throws(SyncError) {
    self.storage = storage
    self.isSchemaOpen = isSchemaOpen
    head = try storage.head()
    // What it has taken was ahead by a minute at the most. Clients go on a little after that; a
    // whole minute more with each start would let one who wants to get far ahead.
    let taken = head.time >> HybridClock.counterBits
    latestNow = taken - min(taken, Limits.clockAheadMilliseconds - 1_000)
    for file in try storage.clientFiles() { files[file.id] = file }
  }

  /// Whether something was merged that is not durable yet.
  public var needsFlush: Bool {
    isHeadChanged || !changedObjects.isEmpty || !forgottenObjects.isEmpty || !changedFiles.isEmpty
  }

  /// Makes all that was merged durable, in one commit.
  public mutating func flush() throws(SyncError) {
    guard needsFlush else { return }
    var changes = ServerChanges(head: head)
    changes.writers = writers
    for id in changedObjects {
      changes.objects[id] = objects[id]
      cachedBytes += objects[id]?.byteBound ?? 0
    }
    for id in forgottenObjects { changes.objects[id] = .some(nil) }
    for id in changedFiles { changes.clientFiles[id] = .some(files[id]) }
    try storage.commit(changes)
    for id in changedFiles { files[id]?.holds.noteStored() }
    changedObjects = []
    forgottenObjects = []
    changedFiles = []
    writers = [:]
    isHeadChanged = false
    if objects.count > Self.cachedObjects || cachedBytes > Self.cachedBytesMax {
      objects = [:]
      cachedBytes = 0
    }
  }

  /// Whatever was merged of an object, durable or not; for checks.
  package func merged(_ id: ObjectID) -> ServerObject? { (try? object(id)) ?? nil }

  /// How many objects are kept in memory between commits.
  private static var cachedObjects: Int { 1_024 }
  /// And about how many bytes of those that commits have written.
  private static var cachedBytesMax: Int { 64 << 20 }

  /// Takes what storage has; for what was merged and could not be made durable.
  public mutating func reload() throws(SyncError) {
    let limits = (objectBytes, unansweredObjects, subscriptionBytes, awayMax, offerMax)
    self = try ServerCore(storage: storage, isSchemaOpen: isSchemaOpen)
    (objectBytes, unansweredObjects, subscriptionBytes, awayMax, offerMax) = limits
  }

  func object(_ id: ObjectID) throws(SyncError) -> ServerObject? {
    if let known = objects[id] { return known }
    if forgottenObjects.contains(id) { return nil }
    return try storage.object(id)
  }

  mutating func noteHead() { isHeadChanged = true }
  mutating func noteObject(_ id: ObjectID) {
    changedObjects.insert(id)
    forgottenObjects.remove(id)
  }
  mutating func noteFile(_ id: ClientID) { changedFiles.insert(id) }
  mutating func noteWriter(_ client: ClientID, of id: ObjectID) {
    writers[id, default: []].insert(client)
  }

  mutating func forget(_ id: ObjectID) {
    objects[id] = nil
    changedObjects.remove(id)
    forgottenObjects.insert(id)
  }
}

extension ServerCore {
  /// A client comes with its file: continues where it was, or has to start over.
  ///
  /// - Parameter batches: those that it knows to have made. If the newest one that was merged is
  ///   not among them, the file has gone back to an earlier state, or is one of two copies: then
  ///   no acknowledgement is for what it has, and none of its batches was merged.
  /// - Parameter download: how far it had come in a download that was cut.
  /// - Returns: whether that download goes on there.
  @discardableResult
  public mutating func bind(
    _ id: ClientID, user: Text, cursor: ServerVersion, query: UInt64, epoch: UInt64,
    batches: [UInt64], download: DownloadPosition = .none, now: UInt64
  ) throws(SyncError) -> Bool {
    if let known = files[id], known.user != user {
      throw SyncError(.foreignClientFile, "The client file belongs to another user.")
    }
    let isNew = files[id] == nil
    var file = files[id] ?? ClientFile(id: id, user: user, head: head.version, now: now)
    file.lastSeen = now
    file.binding += 1
    away.removeAll { $0 == id }
    if downloads[id] != nil {
      if let known = files[id], isForgotten(known, now) { downloads[id] = nil }
    }
    let isKnown = file.acknowledged == 0 || batches.contains(file.acknowledged)
    if isKnown, !file.isExpired, file.offer != nil, downloads[id]?.goBack(to: download) == true {
      files[id] = file
      return true
    }
    downloads[id] = nil
    if !isKnown { file.disownBatches() }
    if isKnown, epoch == head.epoch { file.confirm(cursor, query: query) }
    // For another query set the client may have dropped what the file still says that it holds: the
    // cursor is the same before and after.
    let goesOn =
      isKnown && epoch == head.epoch && cursor == file.cursor && query == file.confirmedQuery
      && cursor >= head.floor
    let isAtTheBeginning = isNew && epoch == 0 && cursor == .zero && head.floor == .zero
    if !goesOn && !isAtTheBeginning {
      let isOfHere = epoch == head.epoch && cursor <= head.version
      file.startOver(after: isOfHere ? cursor : nil)
    }
    file.offer = nil
    file.isExpired = false
    // With no query set complete there is nothing but what it has written itself.
    file.hasNothing = cursor == .zero || query == 0
    files[id] = file
    noteFile(id)
    if epoch == head.epoch { setApart(id, from: cursor, query: query) }
    return false
  }

  private func isForgotten(_ file: ClientFile, _ now: UInt64) -> Bool {
    file.lastSeen + Self.patience < now
  }

  /// What was offered in it goes if it is much: a client that had all of it, and could not say so,
  /// is rebased when it comes.
  private mutating func forgetDownload(_ id: ClientID) {
    downloads[id] = nil
    guard let offer = files[id]?.offer, offer.count > offerMax else { return }
    files[id]!.offer = nil
    noteFile(id)
  }

  /// Forgets the downloads of clients that have been away for long, so that nothing is kept for
  /// them. To be flushed before sessions are polled.
  public mutating func forgetDownloads(before now: UInt64) {
    for id in away where files[id].map({ isForgotten($0, now) }) != false { forgetDownload(id) }
    away.removeAll { downloads[$0] == nil }
    for id in evicted where downloads[id] == nil { forgetDownload(id) }
    evicted = []
  }

  /// The client is not connected any more. Its download is kept, and those of others that went
  /// before as long as all together have not too many objects.
  public mutating func noteAway(_ id: ClientID) {
    guard downloads[id] != nil else { return }
    away.removeAll { $0 == id || downloads[$0] == nil }
    away.append(id)
    var count = away.reduce(0) { $0 + downloads[$1]!.entryCount }
    while count > awayMax, away.count > 1, let first = away.first {
      // What was offered goes later: there may be no flush before the host polls other sessions.
      count -= downloads.removeValue(forKey: first)!.entryCount
      away.removeFirst()
      evicted.insert(first)
    }
  }

  /// For how many milliseconds a client that is away may go on with its download.
  private static var patience: UInt64 { 600_000 }

  /// Whether the client has not been sent all of its download.
  func isDownloading(_ id: ClientID) -> Bool { downloads[id]?.isComplete == false }

  /// A client says by its cursor and its query set what it has. If it has come as far as the server
  /// and is to be sent all anew, or another view of the same, which changed under the last
  /// download, that has to end at another version: or it would count as received before it was.
  private mutating func setApart(_ id: ClientID, from cursor: ServerVersion, query: UInt64) {
    guard let file = files[id], cursor == head.version,
      file.needsRebase || (file.isViewStale && query == file.queryVersion)
    else { return }
    head.version = head.version.next
    noteHead()
  }

  /// The client is connected.
  mutating func noteSeen(_ id: ClientID, now: UInt64) { files[id]?.lastSeen = now }

  /// A user who has more client files than that loses those that were not connected for the longest
  /// time: who comes with one starts over.
  ///
  /// - Parameter connected: files that stay.
  public mutating func limitFiles(of user: Text, to count: Int, keeping connected: Set<ClientID>) {
    let known = files.values.filter { $0.user == user }
    guard known.count > count else { return }
    let idle = known.filter { !connected.contains($0.id) }
      .sorted { ($0.lastSeen, $0.id.rawValue) < ($1.lastSeen, $1.id.rawValue) }
    for file in idle.prefix(known.count - count) {
      files[file.id] = nil
      downloads[file.id] = nil
      noteFile(file.id)
    }
  }

  /// The client has applied what it was sent, up to `cursor`.
  public mutating func confirm(_ id: ClientID, cursor: ServerVersion, query: UInt64) {
    files[id]?.confirm(cursor, query: query)
    noteFile(id)
    guard let file = files[id] else { return }
    if file.offer == nil { downloads[id] = nil }
    setApart(id, from: file.cursor, query: file.confirmedQuery)
  }

  /// The client wants to see something else. Its numbers grow while it is connected; when it has
  /// come anew they may be smaller, if its file has gone back to an earlier state.
  public mutating func subscribe(
    _ id: ClientID, version: UInt64, to subscriptions: [Subscription]
  ) {
    guard let file = files[id],
      version != file.queryVersion || subscriptions != file.subscriptions
    else { return }
    files[id]?.queryVersion = version
    files[id]?.subscriptions = subscriptions
    files[id]?.lookAgain()
    noteFile(id)
  }

  /// What a user may see has changed: all is evaluated again, as of a new version.
  public mutating func reevaluate(_ id: ClientID) {
    files[id]?.lookAgain()
    noteFile(id)
    head.version = head.version.next
    noteHead()
  }

  /// Adds a client's classes, and says which could not be added.
  public mutating func addClasses(_ classes: [SchemaClass]) -> [Schema.Conflict] {
    let before = head.schema
    let conflicts = head.schema.add(classes, extending: isSchemaOpen)
    if head.schema != before {
      for type in classes {
        // What was not added needs no number.
        guard let known = head.schema.classes[type.name] else { continue }
        _ = head.names.add(type.name)
        for property in type.properties.keys.sorted() where known.properties[property] != nil {
          _ = head.names.add(property)
        }
      }
      noteHead()
    }
    return conflicts
  }
}
