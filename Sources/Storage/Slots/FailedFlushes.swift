/// The flushes of this process that have failed.
struct FailedFlushes {
  var count: UInt64 = 0
  /// Whether what the last one should have covered has not been written again by this process.
  var isUnrepaired = false
}
