/// How large a chunk of the log of free space is: chunks of one tier have about the same size; each
/// is eight times that of the one below.
enum LogTier {
  /// Chunks of one tier that are merged into one.
  static let mergeCount = 8

  static func of(_ count: Int) -> Int {
    var tier = 0
    var limit = FreeSpaceRecorder.tailCountMax * mergeCount
    while count >= limit, tier < 2 {
      tier += 1
      limit *= mergeCount
    }
    return tier
  }
}
