import SyncProtocol

/// The bytes of the samples, by name: what `Tests/SyncProtocolTests/Vectors` has in files.
public enum ProtocolVectors {
  /// Frames, a batch and a slice.
  public static var all: [(name: String, bytes: [UInt8])] {
    let names = ProtocolSamples.names
    return ProtocolSamples.frames.map { ("frame-\($0.name)", $0.frame.encoded) } + [
      ("batch", ProtocolSamples.batch(names).encoded(names: names)),
      ("slice", ProtocolSamples.slice(names).encoded(names: names)),
    ]
  }

  /// Two hexadecimal digits for each byte.
  public static func text(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
