/// The bytes of the head in the server's storage. A format of this version of the server, not of
/// the protocol.
extension ServerHead {
  /// The bytes of the head.
  public var row: [UInt8] {
    var writer = ByteWriter()
    for number in [epoch, version.rawValue, time, floor.rawValue] { writer.number(number) }
    writer.count(names.texts.count)
    for text in names.texts { writer.text(text) }
    writer.schema(schema.classes.values.sorted { $0.name < $1.name })
    return writer.bytes
  }

  /// Reads a head.
  public init(row: [UInt8]) throws(WireError) {
    var reader = ByteReader(row)
    self.init(epoch: try reader.number())
    version = Version(try reader.number())
    time = try reader.number()
    floor = Version(try reader.number())
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
