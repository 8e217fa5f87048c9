import SyncProtocol
import TestSupport

/// Frames, batches and slices that were damaged at random: decoding ends in a value or an error,
/// and what was decoded is encoded to something that decodes to the same.
public enum FrameFuzz {
  /// Decodes so many inputs, and says what was wrong, if anything was.
  public static func run(count: Int, seed: UInt64) -> String? {
    var random = SeededGenerator(seed: seed)
    var names = Names()
    for type in LabClasses.classes(isNew: true) {
      _ = names.add(type.name)
      for property in type.properties.keys.sorted() { _ = names.add(property) }
    }
    let samples = samples(names)
    for index in 0..<count {
      let (kind, bytes) = samples[random.below(samples.count)]
      let input = random.below(8) == 0 ? noise(&random) : damaged(bytes, &random)
      let isSound =
        switch kind {
        case .frame: survivesAsFrame(input)
        case .batch: survivesAsBatch(input, names)
        case .slice: survivesAsSlice(input, names)
        }
      if !isSound { return "input \(index) of seed \(seed) is not encoded as it was decoded" }
    }
    return nil
  }

  private enum Kind { case frame, batch, slice }

  private static func survivesAsFrame(_ bytes: [UInt8]) -> Bool {
    guard let frame = try? Frame.decode(bytes) else { return true }
    return (try? Frame.decode(frame.encoded)) == frame
  }

  private static func survivesAsBatch(_ bytes: [UInt8], _ names: Names) -> Bool {
    guard let received = try? UploadBatch.decode(bytes, names: names), received.unknown.isEmpty
    else { return true }
    let again = try? UploadBatch.decode(received.batch.encoded(names: names), names: names)
    return again?.batch == received.batch
  }

  private static func survivesAsSlice(_ bytes: [UInt8], _ names: Names) -> Bool {
    var known = names
    guard let slice = try? DownloadSlice.decode(bytes, names: &known) else { return true }
    return (try? DownloadSlice.decode(slice.encoded(names: known), names: &known)) == slice
  }

  /// Cut, with other bytes, with bytes doubled or taken out.
  static func damaged(
    _ bytes: [UInt8], _ random: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<(1 + random.below(3)) where !bytes.isEmpty {
      let place = random.below(bytes.count)
      switch random.below(6) {
      case 0: bytes.removeSubrange(place...)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
      case 3: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)]
      case 4: bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], at: place)
      default: bytes[place] ^= 1 << UInt8(random.below(8))
      }
    }
    return bytes
  }

  private static func noise(_ random: inout SeededGenerator) -> [UInt8] {
    (0..<random.below(64)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  private static func samples(_ names: Names) -> [(Kind, [UInt8])] {
    let frames = ProtocolSamples.frames.map { (Kind.frame, $0.frame.encoded) }
    let batch = ProtocolSamples.batch(names).encoded(names: names)
    let slice = ProtocolSamples.slice(names).encoded(names: names)
    return frames + [(.batch, batch), (.batch, batch), (.slice, slice), (.slice, slice)]
  }
}
