/// What a client wants to see of one class.
public struct Subscription: Hashable, Sendable {
  /// How the program calls it; empty if it has no name.
  public var name: Text
  /// The class.
  public var type: Text
  /// The query in the language of predicates; empty for all objects.
  public var query: Text

  /// A subscription from its parts.
  public init(name: Text = "", type: Text, query: Text) {
    self.name = name
    self.type = type
    self.query = query
  }
}

/// What the server knows of one client file.
public struct ClientFile: Sendable {
  /// What was sent to the client and may have arrived or not.
  struct Offer: Sendable {
    var version: ServerVersion
    var floor: ServerVersion
    var queryVersion: UInt64
    var view: UInt64
    var added: Set<ObjectID> = []
    var removed: Set<ObjectID> = []

    var count: Int { added.count + removed.count }
  }

  /// Changes that were refused, until the client knows.
  struct PendingRefusal: Sendable {
    var version: ServerVersion
    var refusal: ObjectNews.Refusal
  }

  /// Which file.
  public let id: ClientID
  /// Whose it is; others cannot use it.
  public let user: Text
  /// The newest batch that was merged.
  public internal(set) var acknowledged: UInt64 = 0
  /// What the client has confirmed to have.
  public internal(set) var cursor = ServerVersion.zero
  /// The query set that it has that for.
  var confirmedQuery: UInt64 = 0
  /// The newest query set.
  public internal(set) var queryVersion: UInt64 = 0
  /// The query set.
  public internal(set) var subscriptions: [Subscription] = []
  /// When it was last connected, in milliseconds.
  public internal(set) var lastSeen: UInt64
  /// Whether it was away for so long that nothing is kept for it.
  public internal(set) var isExpired = false
  /// Whether it must drop what the next download does not mention.
  public internal(set) var needsRebase = false
  /// What the client had, by what it said, when it was to start over. Nothing that came after is
  /// forgotten meanwhile: else what it has written would look like a write of long ago.
  var cursorBefore = ServerVersion.zero
  /// Whether the client has never had all that it wants: there is nothing that it has missed. Not
  /// kept; a client that comes says so.
  var hasNothing = true
  /// Deletions up to here are unknown to the client.
  var confirmedFloor: ServerVersion
  /// Whether the query set has to be evaluated for all objects.
  var isViewStale = true
  /// How often that has become so.
  var view: UInt64 = 0
  /// The objects that the client has whole, at its cursor.
  var holds: HeldObjects = []
  /// Objects that the client may have in part because it wrote them, and when it did.
  var claims: [ObjectID: ServerVersion] = [:]
  /// A creation that was merged, and when it came last.
  struct Creation: Sendable {
    var merged: MergedCreation
    var version: ServerVersion
  }

  /// What it has created, until it knows that this has arrived; of each object in the order in
  /// which it came. What comes once more is in the generation that it was in, if that has ended or
  /// not.
  private(set) var creations: [ObjectID: [Creation]] = [:]
  /// How many these are.
  private(set) var creationCount = 0
  var offer: Offer?
  /// How often it has come, for a connection to know whether it still is the file's. Not kept.
  var binding: UInt64 = 0
  /// The newest of each object.
  var refusals: [ObjectID: PendingRefusal] = [:]

  init(id: ClientID, user: Text, head: ServerVersion, now: UInt64) {
    self.id = id
    self.user = user
    confirmedFloor = head
    lastSeen = now
  }

  /// Whether something was sent that may have arrived or not; for checks.
  package var isOffered: Bool { offer != nil }

  /// Up to where the client has heard of everything; nil if it is to start over, and never had.
  var passed: ServerVersion? {
    if needsRebase { cursorBefore == .zero ? nil : cursorBefore } else { cursor }
  }

  /// The objects whose changes in a batch were refused, until the client knows.
  public func refusedObjects(in batch: UInt64) -> [ObjectID] {
    refusals.filter { $0.value.refusal.batch == batch }.map(\.key)
  }

  /// The client has applied everything up to `version`, with the query set that it was sent. A
  /// download for another query set may be to the version that the client has already.
  mutating func confirm(_ version: ServerVersion, query: UInt64) {
    guard let offer, offer.version == version, offer.queryVersion == query else { return }
    cursor = version
    confirmedQuery = query
    confirmedFloor = max(confirmedFloor, offer.floor)
    holds.subtract(offer.removed)
    holds.formUnion(offer.added)
    claims = claims.filter { $0.value > version }
    creations = creations.compactMapValues { known in
      let unknown = known.filter { $0.version > version }
      return unknown.isEmpty ? nil : unknown
    }
    creationCount = creations.reduce(0) { $0 + $1.value.count }
    refusals = refusals.filter { $0.value.version > version }
    needsRebase = false
    cursorBefore = .zero
    hasNothing = false
    if offer.view == view { isViewStale = false }
    self.offer = nil
  }

  /// What the client sees has to be found out anew.
  mutating func lookAgain() {
    isViewStale = true
    view += 1
  }

  /// What was merged came from another state of the file, or a copy of it: the one that has come is
  /// to send all that it has, and is refused anew what it may not write.
  mutating func disownBatches() {
    acknowledged = 0
    refusals = [:]
  }

  /// The client starts over: what it has is unknown.
  ///
  /// - Parameter heard: up to where it says that it has heard of everything, in this history.
  mutating func startOver(after heard: ServerVersion?) {
    cursorBefore = heard ?? max(cursorBefore, cursor)
    cursor = .zero
    offer = nil
    holds = []
    // No acknowledgement may be for these, and they may be out of view.
    for (id, known) in creations where claims[id] == nil { claims[id] = known.last?.version }
    lookAgain()
    needsRebase = true
  }
}

extension ClientFile {
  /// The newest creation of an object that the client may not know to be merged.
  func creation(of id: ObjectID) -> MergedCreation? { creations[id]?.last?.merged }

  /// What became of a creation, if it has come before.
  package func merged(_ stamp: Stamp, of id: ObjectID) -> MergedCreation? {
    creations[id]?.first { $0.merged.stamp == stamp }?.merged
  }

  /// Whether the client has created an object, since a time, in this generation. No other one has
  /// had its number: of what a client may still say that, nothing is forgotten.
  func hasCreated(_ id: ObjectID, in generation: Generation, since time: UInt64) -> Bool {
    creations[id]?.contains {
      $0.merged.generation == generation && $0.merged.stamp.time >= time
    } == true
  }

  /// A creation has been merged, or has come once more. Only the newest ones of an object are kept:
  /// a client sends its newest one, and others have ended when that came.
  mutating func note(_ merged: MergedCreation, of id: ObjectID, _ version: ServerVersion) {
    var known = creations[id] ?? []
    if let index = known.firstIndex(where: { $0.merged.stamp == merged.stamp }) {
      known[index].version = version
    } else {
      if known.count >= Limits.knownBatches {
        known.removeFirst()
      } else {
        creationCount += 1
      }
      known.append(Creation(merged: merged, version: version))
    }
    creations[id] = known
  }
}
