/// The bytes of the head in the server's storage. A format of this version of the server, not of
/// the protocol. Names and classes stand apart: they are much, and hardly ever change.
extension ServerHead {
  /// The bytes of all but names and classes.
  public var row: [UInt8] {
    var writer = ByteWriter()
    for number in [epoch, version.rawValue, time, floor.rawValue] { writer.number(number) }
    return writer.bytes
  }

  /// The bytes of names and classes.
  public var schemaRow: [UInt8] {
    var writer = ByteWriter()
    writer.count(names.texts.count)
    for text in names.texts { writer.text(text) }
    writer.schema(schema.classes.values.sorted { $0.name < $1.name })
    return writer.bytes
  }

  /// Reads a head.
  public init(row: [UInt8], schemaRow: [UInt8]) throws(WireError) {
    var reader = ByteReader(row)
    self.init(epoch: try reader.number())
    version = Version(try reader.number())
    time = try reader.number()
    floor = Version(try reader.number())
    try reader.finish()
    reader = ByteReader(schemaRow)
    var texts: [Text] = []
    for _ in 0..<(try reader.count(of: 1)) {
      texts.append(try reader.text(upTo: Limits.nameBytes))
    }
    names = Names(texts)
    let conflicts = schema.add(try reader.schema(), extending: true)
    guard conflicts.isEmpty else { throw .numberOutOfRange }
    try reader.finish()
  }
}
