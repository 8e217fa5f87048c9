/// What a client knows of the download that it is in: as much as it takes to go on with it in
/// another connection. In memory alone: a program that is started anew begins anew.
public struct DownloadProgress: Sendable {
  /// How far it has come.
  var position = DownloadPosition.none
  var rebase = RebaseProgress()
  /// The server's history.
  private let epoch: UInt64
  /// The history that the client knew when the download began.
  private(set) var knownEpoch: UInt64
  /// Whether the client has asked to be sent all anew.
  private(set) var asksToStartOver: Bool
  /// Whether it has come with more classes than before.
  private var hasNewClasses: Bool
  /// Whether a reset had begun before, and not ended.
  private var resumesReset: Bool
  private let client: ClientID
  private var cursor: ServerVersion
  private let discardsUnsynced: Bool
  /// What came of a class before the program had it found no place, and has to come again.
  private let classes: [SchemaClass]

  /// Before anything has come.
  init() {
    self.init(ClientRecord(client: .none), epoch: 0, discardsUnsynced: false, classes: [])
  }

  /// At the beginning of a connection.
  init(
    _ record: ClientRecord, epoch: UInt64, discardsUnsynced: Bool, classes: [SchemaClass]
  ) {
    self.epoch = epoch
    self.discardsUnsynced = discardsUnsynced
    self.classes = classes
    knownEpoch = record.epoch
    resumesReset = record.reset != nil
    hasNewClasses = record.hasNewClasses
    asksToStartOver = record.mustStartOver || record.hasNewClasses
    client = record.client
    cursor = record.cursor
    let isOtherHistory = record.epoch != 0 && record.epoch != epoch
    // Of a seed nothing is discarded: what is dirty was written since it is the device's.
    rebase = RebaseProgress(
      isOtherHistory: isOtherHistory && (!discardsUnsynced || record.isSeed),
      isSeed: record.isSeed)
  }

  /// After a download that is complete, in the same connection.
  func next(_ record: ClientRecord) -> DownloadProgress {
    var next = self
    next.position = .none
    next.rebase = RebaseProgress()
    next.knownEpoch = epoch
    next.asksToStartOver = false
    next.hasNewClasses = record.hasNewClasses
    next.resumesReset = false
    next.cursor = record.cursor
    return next
  }

  /// Whether the file, the history and what is asked for are still those of this download, as
  /// `other` says, which another connection has begun with.
  func isUnchanged(_ other: DownloadProgress) -> Bool {
    client == other.client && cursor == other.cursor && epoch == other.epoch
      && hasNewClasses == other.hasNewClasses && classes == other.classes
      && discardsUnsynced == other.discardsUnsynced && other.asksToStartOver
  }

  /// Whether a slice takes the place of what the client has because the server cannot go on from
  /// that: its history is another one, or it has forgotten what the client has yet to hear of. Else
  /// a rebase is the server's way to find out again what the client has, as when it ends before it
  /// knows what has arrived: then all that was written stays. What a seed has is not the device's
  /// yet.
  ///
  /// - Parameter floor: the slice's if it is part of a rebase.
  func isReset(floorOfRebase floor: ServerVersion?) -> Bool {
    guard let floor, knownEpoch != 0, !rebase.isSeed else { return false }
    return knownEpoch != epoch || resumesReset || (cursor != .zero && floor > cursor)
  }
}
