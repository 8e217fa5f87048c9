/// What a client has written and the server has not acknowledged, of one moment: all of it, or the
/// oldest part; whole transactions, unless one is too large. The server merges it whole or not at
/// all, and a batch with a number that it has seen, or passed, not again.
public struct UploadBatch: Hashable, Sendable {
  /// Each batch of a client file has a larger number than those before.
  public var number: UInt64
  /// What the client had seen of the server.
  public var cursor: ServerVersion
  /// The changes.
  public var objects: [ObjectChange]

  /// A batch from its parts.
  public init(number: UInt64, cursor: ServerVersion, objects: [ObjectChange]) {
    self.number = number
    self.cursor = cursor
    self.objects = objects
  }
}

/// A batch as the server reads it.
public struct ReceivedBatch: Sendable {
  /// What could be read.
  public var batch: UploadBatch
  /// The places in the batch of objects that use a class or a property that is not known.
  public var unknown: Set<Int> = []
}

extension UploadBatch {
  /// The bytes of the batch, which frames then carry in parts.
  public func encoded(names: Names) -> [UInt8] {
    var writer = ChangeWriter(names: names)
    writer.body.number(number)
    writer.body.number(cursor.rawValue)
    writer.body.count(objects.count)
    for object in objects { writer.change(object) }
    return writer.finish()
  }

  /// Reads a batch. Names must be known already; who uses others is in `unknown`, but an object of
  /// an unknown class cannot even be named, and fails the batch.
  public static func decode(_ bytes: [UInt8], names: Names) throws(WireError) -> ReceivedBatch {
    var names = names
    var reader = try ChangeReader(bytes, known: &names, adding: false)
    let number = try reader.body.number()
    let cursor = ServerVersion(try reader.body.number())
    let count = try reader.body.count(of: 4)
    var received = ReceivedBatch(batch: UploadBatch(number: number, cursor: cursor, objects: []))
    for index in 0..<count {
      reader.hasMissingName = false
      let object = try reader.change(isUpload: true)
      if object.id.type == .none { throw .indexOutOfRange }
      if reader.hasMissingName { received.unknown.insert(index) }
      received.batch.objects.append(object)
    }
    try reader.body.finish()
    return received
  }
}
