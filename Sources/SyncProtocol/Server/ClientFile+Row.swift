/// The bytes of a client file in the server's storage. A format of this version of the server, not
/// of the protocol.
extension ClientFile {
  /// The bytes of what the server knows of the client file.
  public func row(names: Names) -> [UInt8] {
    var writer = ChangeWriter(names: names)
    writer.body.fixed64(id.rawValue)
    writer.body.text(user)
    for number in [
      acknowledged, cursor.rawValue, queryVersion, lastSeen, confirmedFloor.rawValue,
    ] {
      writer.body.number(number)
    }
    for flag in [isExpired, needsRebase, isViewStale] { writer.body.flag(flag) }
    writer.body.subscriptions(subscriptions)
    writer.objects(holds)
    writer.body.count(claims.count)
    for (object, version) in claims {
      writer.object(object)
      writer.body.number(version.rawValue)
    }
    writer.body.count(refusals.count)
    for pending in refusals {
      writer.body.number(pending.version.rawValue)
      writer.object(pending.object)
      writer.body.number(pending.refusal.batch)
      writer.body.byte(pending.refusal.reason.rawValue)
    }
    writer.body.flag(offer != nil)
    if let offer { writer.offer(offer) }
    return writer.finish()
  }

  /// Reads a client file.
  public init(row: [UInt8], names: Names) throws(WireError) {
    var names = names
    var reader = try ChangeReader(row, known: &names, adding: true)
    self.init(
      id: ClientID(try reader.body.fixed64()), user: try reader.body.text(upTo: .max),
      head: .zero, now: 0)
    acknowledged = try reader.body.number()
    cursor = Version(try reader.body.number())
    queryVersion = try reader.body.number()
    lastSeen = try reader.body.number()
    confirmedFloor = Version(try reader.body.number())
    isExpired = try reader.body.flag()
    needsRebase = try reader.body.flag()
    isViewStale = try reader.body.flag()
    subscriptions = try reader.body.subscriptions()
    holds = try reader.objects()
    for _ in 0..<(try reader.body.count(of: 3)) {
      let object = try reader.object()
      claims[object] = Version(try reader.body.number())
    }
    for _ in 0..<(try reader.body.count(of: 5)) {
      let version = Version(try reader.body.number())
      let object = try reader.object()
      let batch = try reader.body.number()
      let code = try reader.body.byte()
      guard let reason = RefusalReason(rawValue: code) else { throw .unknownKind(code) }
      refusals.append(
        PendingRefusal(
          version: version, object: object,
          refusal: ObjectNews.Refusal(batch: batch, reason: reason)))
    }
    if try reader.body.flag() { offer = try reader.offer() }
    try reader.body.finish()
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
    var offer = ClientFile.Offer(
      version: Version(try body.number()), floor: Version(try body.number()),
      queryVersion: try body.number())
    offer.added = try objects()
    offer.removed = try objects()
    return offer
  }
}
