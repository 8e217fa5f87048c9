/// The bytes of a client file in the server's storage. What the client holds stands apart, as steps
/// that add and remove, since it may be large. A format of this version of the server, not of the
/// protocol.
extension ClientFile {
  /// A change of what the client holds, for storage to keep beside those before.
  public struct HeldStep: Sendable {
    /// The bytes of the step.
    public var bytes: [UInt8]
    /// Whether it takes the place of all steps before.
    public var isWhole: Bool
  }

  /// How many objects the client holds.
  public var heldCount: Int { holds.all.count }

  /// The bytes of all but what the client holds. What was offered is not in them: a client that
  /// comes with it starts over.
  public func row(names: Names) -> [UInt8] {
    var writer = ChangeWriter(names: names)
    writer.client(id)
    writer.body.text(user)
    for number in [
      acknowledged, cursor.rawValue, queryVersion, lastSeen, confirmedFloor.rawValue,
    ] { writer.body.number(number) }
    for flag in [isExpired, needsRebase, isViewStale] { writer.body.flag(flag) }
    writer.body.subscriptions(subscriptions)
    writer.body.count(claims.count)
    for (id, version) in claims {
      writer.object(id)
      writer.body.number(version.rawValue)
    }
    writer.body.count(refusals.count)
    for pending in refusals {
      writer.body.number(pending.version.rawValue)
      writer.object(pending.object)
      writer.body.number(pending.refusal.batch)
      writer.body.byte(pending.refusal.reason.rawValue)
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
    for part in isWhole ? [holds.all, []] : [holds.added, holds.removed] {
      writer.body.count(part.count)
      for id in part { writer.object(id) }
    }
    return HeldStep(bytes: writer.finish(), isWhole: isWhole)
  }

  /// Reads a client file.
  ///
  /// - Parameter held: the steps of what it holds, oldest first.
  public init(row: [UInt8], held: [[UInt8]], names: Names) throws(WireError) {
    var names = names
    var reader = try ChangeReader(row, known: &names, adding: true)
    let id = try reader.client()
    self.init(
      id: id, user: try reader.body.text(upTo: Limits.valueBytes), head: .zero, now: 0)
    acknowledged = try reader.body.number()
    cursor = Version(try reader.body.number())
    queryVersion = try reader.body.number()
    lastSeen = try reader.body.number()
    confirmedFloor = Version(try reader.body.number())
    isExpired = try reader.body.flag()
    needsRebase = try reader.body.flag()
    isViewStale = try reader.body.flag()
    subscriptions = try reader.body.subscriptions()
    for _ in 0..<(try reader.body.count(of: 3)) {
      claims[try reader.object()] = Version(try reader.body.number())
    }
    for _ in 0..<(try reader.body.count(of: 4)) {
      refusals.append(try reader.refusal())
    }
    try reader.body.finish()
    var all: Set<ObjectID> = []
    for bytes in held {
      var reader = try ChangeReader(bytes, known: &names, adding: true)
      for _ in 0..<(try reader.body.count(of: 2)) { all.insert(try reader.object()) }
      for _ in 0..<(try reader.body.count(of: 2)) { all.remove(try reader.object()) }
      try reader.body.finish()
    }
    holds = HeldObjects(stored: all)
  }
}

extension ChangeReader {
  fileprivate mutating func refusal() throws(WireError) -> ClientFile.PendingRefusal {
    let version = Version(try body.number())
    let object = try self.object()
    let batch = try body.number()
    let byte = try body.byte()
    guard let reason = RefusalReason(rawValue: byte) else { throw .unknownKind(byte) }
    return ClientFile.PendingRefusal(
      version: version, object: object,
      refusal: ObjectNews.Refusal(batch: batch, reason: reason))
  }
}
