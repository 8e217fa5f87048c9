/// The bytes of the head in the server's storage. Names and classes may stand apart: they are much,
/// and hardly ever change. A format of this version of the server, not of the protocol.
extension ServerHead {
  /// The bytes of the head.
  public var row: [UInt8] { shortRow + schemaRow }

  /// The bytes of all but names and classes.
  public var shortRow: [UInt8] {
    var writer = ByteWriter()
    writer.fixed64(epoch)
    for number in [version.rawValue, time, floor.rawValue] { writer.number(number) }
    return writer.bytes
  }

  /// The bytes of names and classes.
  public var schemaRow: [UInt8] {
    var writer = ByteWriter()
    writer.count(names.texts.count)
    for name in names.texts { writer.text(name) }
    writer.schema(schema.classes.values.sorted { $0.name < $1.name })
    return writer.bytes
  }

  /// Reads a head; of two rows, one after the other.
  public init(row: [UInt8]) throws(WireError) {
    var reader = ByteReader(row)
    self.init(epoch: try reader.fixed64())
    version = ServerVersion(try reader.number())
    time = try reader.number()
    floor = ServerVersion(try reader.number())
    for _ in 0..<(try reader.count(of: 1)) { _ = names.add(try reader.text(upTo: .max)) }
    _ = schema.add(try reader.schema(), extending: true)
    try reader.finish()
  }
}
