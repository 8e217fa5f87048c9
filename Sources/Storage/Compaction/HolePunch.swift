import Platform

/// Gives the blocks of withheld runs back to the file system, as holes in the file.
///
/// The writer role is not held: a file system makes a hole wait for its journal. A pin of the
/// version before the one that withheld the runs is, so nobody else writes or reads there.
struct HolePunch {
  let file: any SystemFile
  let mappings: FileMappings

  /// Bytes of one hole: while one is made nobody can write to the file, so they are short, but not
  /// so short that what each costs by itself is most of it.
  private static let sizeMax: UInt64 = 1 << 20

  /// - Parameter runs: ascending.
  /// - Returns: how many bytes went back. A file system that cannot punch holes keeps the blocks;
  ///   the file can be cut all the same.
  func run(_ runs: [Extent]) -> UInt64 {
    var returned: UInt64 = 0
    for run in Self.joined(runs) {
      let start = (run.offset + 4095) & ~4095
      let end = run.end & ~4095
      guard start < end else { continue }
      mappings.forgetDecrypted(offset: start, length: end - start)
      do throws(SystemError) {
        try file.punchHole(offset: start, length: end - start)
        returned += end - start
      } catch { continue }
    }
    return returned
  }

  private static func joined(_ runs: [Extent]) -> [Extent] {
    var joined: [Extent] = []
    for run in runs {
      if let last = joined.last, last.end == run.offset, last.length + run.length <= sizeMax {
        joined[joined.count - 1].length += run.length
      } else {
        joined.append(run)
      }
    }
    return joined
  }
}
