/// The bytes of a client file in the server's storage. What the client holds may be large, and so
/// may stand apart, as steps that add and remove. A format of this version of the server, not of
/// the protocol.
extension ClientFile {
  /// A change of what the client holds, for storage to keep beside those before.
  public struct HeldStep: Sendable {
    /// The bytes of the step.
    public var bytes: [UInt8]
    /// Whether it takes the place of all steps before.
    public var isWhole: Bool
  }

  /// The bytes of what the server knows of the client file.
  ///
  /// - Parameter isWhole: what the client holds is among it; else it is to be kept as steps.
  public func row(names: Names, isWhole: Bool = true) -> [UInt8] {
    var writer = ChangeWriter(names: names)
    writer.body.fixed64(id.rawValue)
    writer.body.text(user)
    for number in [
      acknowledged, cursor.rawValue, confirmedQuery, queryVersion, lastSeen,
      confirmedFloor.rawValue, view,
    ] { writer.body.number(number) }
    for flag in [isExpired, needsRebase, isViewStale] { writer.body.flag(flag) }
    writer.body.subscriptions(subscriptions)
    writer.objects(isWhole ? holds.all : [])
    writer.body.count(claims.count)
    for (object, version) in claims {
      writer.object(object)
      writer.body.number(version.rawValue)
    }
    writer.body.count(refusals.count)
    for (object, pending) in refusals {
      writer.object(object)
      writer.body.number(pending.version.rawValue)
      writer.body.number(pending.refusal.batch)
      writer.body.byte(pending.refusal.reason.rawValue)
    }
    writer.body.flag(offer != nil)
    if let offer { writer.offer(offer) }
    writer.body.number(cursorBefore.rawValue)
    writer.body.count(creations.reduce(0) { $0 + $1.value.count })
    for (object, known) in creations {
      for creation in known {
        writer.object(object)
        writer.stamp(creation.merged.stamp)
        writer.body.number(creation.merged.generation.rawValue)
        writer.body.number(creation.merged.version.rawValue)
        writer.body.number(creation.version.rawValue)
      }
    }
    return writer.finish()
  }

  /// What changed of what the client holds since the last commit, if anything did.
  ///
  /// - Parameter isWhole: all of it is wanted.
  public func heldStep(names: Names, isWhole: Bool = false) -> HeldStep? {
    let isWhole = isWhole || holds.isReplaced
    if !isWhole && holds.isStored { return nil }
    var writer = ChangeWriter(names: names)
    writer.objects(isWhole ? holds.all : holds.added)
    writer.objects(isWhole ? [] : holds.removed)
    return HeldStep(bytes: writer.finish(), isWhole: isWhole)
  }

  /// Reads a client file.
  ///
  /// - Parameter held: the steps of what the client holds, oldest first, if it stands apart.
  public init(row: [UInt8], held: [[UInt8]] = [], names: Names) throws(WireError) {
    var names = names
    var reader = try ChangeReader(row, known: &names, adding: true)
    self.init(
      id: ClientID(try reader.body.fixed64()), user: try reader.body.text(upTo: .max),
      head: .zero, now: 0)
    acknowledged = try reader.body.number()
    cursor = ServerVersion(try reader.body.number())
    confirmedQuery = try reader.body.number()
    queryVersion = try reader.body.number()
    lastSeen = try reader.body.number()
    confirmedFloor = ServerVersion(try reader.body.number())
    view = try reader.body.number()
    isExpired = try reader.body.flag()
    needsRebase = try reader.body.flag()
    isViewStale = try reader.body.flag()
    subscriptions = try reader.body.subscriptions()
    var all = try reader.objects()
    for _ in 0..<(try reader.body.count(of: 3)) {
      let object = try reader.object()
      claims[object] = ServerVersion(try reader.body.number())
    }
    for _ in 0..<(try reader.body.count(of: 5)) {
      let object = try reader.object()
      refusals[object] = try reader.refusal()
    }
    if try reader.body.flag() { offer = try reader.offer() }
    cursorBefore = ServerVersion(try reader.body.number())
    for _ in 0..<(try reader.body.count(of: 6)) {
      let object = try reader.object()
      let merged = MergedCreation(
        stamp: try reader.stamp(), generation: try reader.generation(),
        version: ServerVersion(try reader.body.number()))
      note(merged, of: object, ServerVersion(try reader.body.number()))
    }
    try reader.body.finish()
    for bytes in held {
      var reader = try ChangeReader(bytes, known: &names, adding: true)
      all.formUnion(try reader.objects())
      all.subtract(try reader.objects())
      try reader.body.finish()
    }
    holds = HeldObjects(stored: all)
  }
}

extension ChangeWriter {
  fileprivate mutating func objects(_ objects: Set<ObjectID>) {
    body.count(objects.count)
    for id in objects { object(id) }
  }

  fileprivate mutating func offer(_ offer: ClientFile.Offer) {
    body.number(offer.version.rawValue)
    body.number(offer.floor.rawValue)
    body.number(offer.queryVersion)
    body.number(offer.view)
    objects(offer.added)
    objects(offer.removed)
  }
}

extension ChangeReader {
  fileprivate mutating func objects() throws(WireError) -> Set<ObjectID> {
    var objects: Set<ObjectID> = []
    for _ in 0..<(try body.count(of: 2)) { objects.insert(try object()) }
    return objects
  }

  fileprivate mutating func offer() throws(WireError) -> ClientFile.Offer {
    ClientFile.Offer(
      version: ServerVersion(try body.number()), floor: ServerVersion(try body.number()),
      queryVersion: try body.number(), view: try body.number(), added: try objects(),
      removed: try objects())
  }

  fileprivate mutating func refusal() throws(WireError) -> ClientFile.PendingRefusal {
    let version = ServerVersion(try body.number())
    let batch = try body.number()
    let byte = try body.byte()
    guard let reason = RefusalReason(rawValue: byte) else { throw .unknownKind(byte) }
    return ClientFile.PendingRefusal(
      version: version, refusal: ObjectNews.Refusal(batch: batch, reason: reason))
  }
}
