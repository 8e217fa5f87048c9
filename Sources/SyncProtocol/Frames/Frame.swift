/// The versions of the protocol that this code speaks.
public enum ProtocolVersion {
  /// The oldest.
  public static let oldest: UInt64 = 1
  /// The newest.
  public static let newest: UInt64 = 1
}

/// One message of a connection. docs/PROTOCOL.md says who may send which when.
public enum Frame: Hashable, Sendable {
  /// Client: the versions that it speaks, and the app that it wants.
  case hello(oldest: UInt64, newest: UInt64, app: Text)
  /// Server: the version that both speak, the history, and the time in milliseconds.
  case welcome(version: UInt64, epoch: UInt64, time: UInt64)
  /// Client: an access token; also later, before the last one runs out.
  case token(Text)
  /// Server: the token is good.
  case accepted
  /// Client: its file, what it has of which history, the newest query set that is complete, and how
  /// far it had come in a download that was cut.
  case bind(
    client: ClientID, epoch: UInt64, cursor: ServerVersion, query: UInt64, batches: [UInt64],
    download: DownloadPosition)
  /// Server: the newest batch of the file that was merged, and whether that download goes on.
  case bound(acknowledged: UInt64, goesOn: Bool)
  /// Client: the classes of the program.
  case schema([SchemaClass])
  /// Server: what it does not take of them.
  case schemaResult([Schema.Conflict])
  /// Client: all that it wants to see.
  case query(version: UInt64, [Subscription])
  /// Server: a query set that cannot be, which subscription, and why.
  case queryFailed(version: UInt64, index: UInt64, message: Text)
  /// Client: a part of a batch.
  case upload(batch: UInt64, part: UInt64, isLast: Bool, [UInt8])
  /// Server: a part of a slice.
  case download(part: UInt64, isLast: Bool, [UInt8])
  /// Client: all up to here is applied and durable, for this query set.
  case confirm(ServerVersion, query: UInt64)
  /// Both: what failed; the server's time in milliseconds, and when to come again.
  case error(SyncError, time: UInt64, retryAfterMilliseconds: UInt64)
  /// Both: to be answered with the number.
  case ping(UInt64)
  /// Both: the answer.
  case pong(UInt64)
}

/// The first byte of a frame. The numbers are part of the protocol.
private enum FrameKind: UInt8 {
  case hello = 1
  case welcome = 2
  case token = 3
  case accepted = 4
  case bind = 5
  case bound = 6
  case schema = 7
  case schemaResult = 8
  case query = 9
  case queryFailed = 10
  case upload = 11
  case download = 12
  case confirm = 13
  case error = 14
  case ping = 15
  case pong = 16
}

extension Frame {
  /// The bytes of the frame.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    func start(_ kind: FrameKind) { writer.byte(kind.rawValue) }
    switch self {
    case .hello(let oldest, let newest, let app):
      start(.hello)
      writer.number(oldest)
      writer.number(newest)
      writer.text(app)
    case .welcome(let version, let epoch, let time):
      start(.welcome)
      writer.number(version)
      writer.fixed64(epoch)
      writer.number(time)
    case .token(let token):
      start(.token)
      writer.text(token)
    case .accepted: start(.accepted)
    case .bind(let client, let epoch, let cursor, let query, let batches, let download):
      start(.bind)
      writer.fixed64(client.rawValue)
      writer.fixed64(epoch)
      writer.number(cursor.rawValue)
      writer.number(query)
      writer.count(batches.count)
      for batch in batches { writer.number(batch) }
      writer.number(download.number)
      writer.number(download.slices)
    case .bound(let acknowledged, let goesOn):
      start(.bound)
      writer.number(acknowledged)
      writer.flag(goesOn)
    case .schema(let classes):
      start(.schema)
      writer.schema(classes)
    case .schemaResult(let conflicts):
      start(.schemaResult)
      writer.conflicts(conflicts)
    case .query(let version, let subscriptions):
      start(.query)
      writer.number(version)
      writer.subscriptions(subscriptions)
    case .queryFailed(let version, let index, let message):
      start(.queryFailed)
      writer.number(version)
      writer.number(index)
      writer.text(message)
    case .upload(let batch, let part, let isLast, let bytes):
      start(.upload)
      writer.number(batch)
      writer.number(part)
      writer.flag(isLast)
      writer.raw(bytes)
    case .download(let part, let isLast, let bytes):
      start(.download)
      writer.number(part)
      writer.flag(isLast)
      writer.raw(bytes)
    case .confirm(let cursor, let query):
      start(.confirm)
      writer.number(cursor.rawValue)
      writer.number(query)
    case .error(let error, let time, let retryAfter):
      start(.error)
      writer.number(UInt64(error.code.rawValue))
      writer.text(error.message)
      writer.number(time)
      writer.number(retryAfter)
    case .ping(let number):
      start(.ping)
      writer.number(number)
    case .pong(let number):
      start(.pong)
      writer.number(number)
    }
    return writer.bytes
  }

  /// Reads a frame.
  public static func decode(_ bytes: [UInt8]) throws(WireError) -> Frame {
    guard bytes.count <= Limits.frameBytes else { throw .beyondLimit }
    var reader = ByteReader(bytes)
    let byte = try reader.byte()
    guard let kind = FrameKind(rawValue: byte) else { throw .unknownKind(byte) }
    let frame = try decode(kind, &reader)
    try reader.finish()
    return frame
  }

  private static func decode(
    _ kind: FrameKind, _ reader: inout ByteReader
  ) throws(WireError) -> Frame {
    switch kind {
    case .hello:
      return .hello(
        oldest: try reader.number(), newest: try reader.number(),
        app: try reader.text(upTo: Limits.nameBytes))
    case .welcome:
      return .welcome(
        version: try reader.number(), epoch: try reader.fixed64(),
        time: try reader.number(upTo: Limits.latestTime >> HybridClock.counterBits))
    case .token: return .token(try reader.text(upTo: Limits.tokenBytes))
    case .accepted: return .accepted
    case .bind:
      return .bind(
        client: ClientID(try reader.fixed64()), epoch: try reader.fixed64(),
        cursor: ServerVersion(try reader.number()), query: try reader.number(),
        batches: try reader.batches(),
        download: DownloadPosition(number: try reader.number(), slices: try reader.number()))
    case .bound:
      return .bound(acknowledged: try reader.number(), goesOn: try reader.flag())
    case .schema: return .schema(try reader.schema())
    case .schemaResult: return .schemaResult(try reader.conflicts())
    case .query: return .query(version: try reader.number(), try reader.subscriptions())
    case .queryFailed:
      return .queryFailed(
        version: try reader.number(), index: try reader.number(),
        message: try reader.text(upTo: Limits.messageBytes))
    case .upload:
      return .upload(
        batch: try reader.number(), part: try reader.number(), isLast: try reader.flag(),
        reader.rest())
    case .download:
      return .download(part: try reader.number(), isLast: try reader.flag(), reader.rest())
    case .confirm:
      return .confirm(ServerVersion(try reader.number()), query: try reader.number())
    case .error: return try reader.error()
    case .ping: return .ping(try reader.number())
    case .pong: return .pong(try reader.number())
    }
  }
}

extension ByteReader {
  fileprivate mutating func batches() throws(WireError) -> [UInt64] {
    var batches: [UInt64] = []
    for _ in 0..<(try count(of: 1, upTo: Limits.knownBatches)) { batches.append(try number()) }
    return batches
  }

  fileprivate mutating func error() throws(WireError) -> Frame {
    let number = try number(upTo: UInt64(UInt16.max))
    // A code of a later version of the protocol is an error that this one knows nothing of.
    let code = ErrorCode(rawValue: UInt16(number)) ?? .unavailable
    return .error(
      SyncError(code, try text(upTo: Limits.messageBytes)),
      time: try self.number(upTo: Limits.latestTime >> HybridClock.counterBits),
      retryAfterMilliseconds: try self.number())
  }
}
