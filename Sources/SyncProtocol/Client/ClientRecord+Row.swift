/// The bytes of the record in a client's file. A format of this version of the client, not of the
/// protocol.
extension ClientRecord {
  /// The bytes of the record.
  public var row: [UInt8] {
    var writer = ByteWriter()
    writer.fixed64(client.rawValue)
    writer.fixed64(epoch)
    writer.number(
      (mustStartOver ? 1 : 0) | (hasNewClasses ? 2 : 0) | (reset == nil ? 0 : 4)
        | (hasWriters ? 8 : 0) | (isSeed ? 16 : 0))
    if hasWriters { writer.writers(number: self.writer, pastWriters) }
    for number in [
      cursor.rawValue, heard.rawValue, floor.rawValue, clock.latest, receivedTime,
      millisecondsAhead, batch, acknowledged, elements, queryVersion, completeQueryVersion,
    ] {
      writer.number(number)
    }
    if let reset { writer.batch(reset) }
    writer.count(sent.count)
    for batch in sent { writer.batch(batch) }
    writer.subscriptions(subscriptions)
    writer.conflicts(setAside)
    writer.count(names.texts.count)
    for name in names.texts { writer.text(name) }
    return writer.bytes
  }

  private var hasWriters: Bool { writer != 0 || !pastWriters.isEmpty }

  /// Reads a record.
  public init(row: [UInt8]) throws(WireError) {
    var reader = ByteReader(row)
    let client = ClientID(try reader.fixed64())
    let epoch = try reader.fixed64()
    let flags = try reader.number(upTo: 31)
    let writers = flags & 8 != 0 ? try reader.writers() : (number: 0, past: [])
    self.init(client: client, writer: writers.number, pastWriters: writers.past)
    self.epoch = epoch
    mustStartOver = flags & 1 != 0
    hasNewClasses = flags & 2 != 0
    isSeed = flags & 16 != 0
    cursor = ServerVersion(try reader.number())
    heard = ServerVersion(try reader.number())
    floor = ServerVersion(try reader.number())
    clock = HybridClock(latest: try reader.number())
    receivedTime = try reader.number()
    millisecondsAhead = try reader.number()
    batch = try reader.number()
    acknowledged = try reader.number()
    elements = try reader.number()
    queryVersion = try reader.number()
    completeQueryVersion = try reader.number()
    if flags & 4 != 0 { reset = try reader.batch() }
    for _ in 0..<(try reader.count(of: 4)) { sent.append(try reader.batch()) }
    subscriptions = try reader.subscriptions(areOwn: true)
    setAside = try reader.conflicts()
    for _ in 0..<(try reader.count(of: 1)) { _ = names.add(try reader.text(upTo: .max)) }
    try reader.finish()
  }
}

extension ByteWriter {
  fileprivate mutating func writers(number: UInt64, _ past: [ClientRecord.PastWriter]) {
    self.number(number)
    count(past.count)
    for writer in past {
      self.number(writer.number)
      self.number(writer.last)
    }
  }

  fileprivate mutating func batch(_ batch: ClientRecord.SentBatch) {
    for number in [batch.number, batch.time, batch.element, batch.since] { self.number(number) }
  }
}

extension ByteReader {
  fileprivate mutating func writers() throws(WireError) -> (
    number: UInt64, past: [ClientRecord.PastWriter]
  ) {
    let current = try number()
    var past: [ClientRecord.PastWriter] = []
    for _ in 0..<(try count(of: 2)) {
      past.append(ClientRecord.PastWriter(number: try number(), last: try number()))
    }
    return (current, past)
  }

  fileprivate mutating func batch() throws(WireError) -> ClientRecord.SentBatch {
    ClientRecord.SentBatch(
      number: try number(), time: try number(), element: try number(), since: try number())
  }
}
