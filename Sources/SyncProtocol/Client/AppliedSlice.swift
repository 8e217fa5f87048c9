/// What the host of a client's session may want to know of a download that was applied.
public struct AppliedSlice: Sendable {
  /// Whether all that the client had missed is there now.
  public let isLast: Bool
  /// Whether it took the place of what the client had, without the client having asked for that.
  public let isReset: Bool
  /// Whether it took the place of what the client had.
  public let isRebase: Bool
  /// The objects that are still to come.
  public let remaining: UInt64
  /// Whether it brought objects.
  public let hasNews: Bool
  /// Whether it acknowledged the batch that was on its way.
  public internal(set) var hasAcknowledged = false
  /// Writes of the client that the server has refused. After a connection that ended early the
  /// same may come once more.
  public let refused: [RefusedChange]

  init(_ slice: DownloadSlice, isReset: Bool) {
    isLast = slice.isLast
    self.isReset = isReset
    isRebase = slice.isRebase
    remaining = slice.remaining
    hasNews = !slice.objects.isEmpty
    refused = slice.objects.compactMap { news in
      news.refusal.map { RefusedChange(object: news.change.id, refusal: $0) }
    }
  }
}
