/// What a client has missed, one slice after the other.
public struct Download: Sendable {
  fileprivate struct Entry: Sendable {
    var id: ObjectID
    var kind: ObjectNews.Kind
    var refusal: ObjectNews.Refusal?
  }

  fileprivate let client: ClientID
  fileprivate let from: ServerVersion
  fileprivate(set) var frame: DownloadSlice
  fileprivate var entries: [Entry]
  fileprivate var position = 0
  /// So many of the first ones have changed since the client heard of the server last; the others
  /// come because it is to see something else.
  fileprivate var missed: Int
  /// Where the slices that have been made end, without the first `forgotten` ones.
  ///
  /// Invariant: the last one is `position`, and entries before that are as they were sent, so that
  /// a client that has not had the last slices can be sent them again.
  fileprivate var ends: [Int] = []
  fileprivate var forgotten = 0
  /// Whether something of what was sent may come once more.
  fileprivate var isExtended = false
  /// Whether the last slice has been made.
  public fileprivate(set) var isComplete = false

  var entryCount: Int { entries.count }

  fileprivate var isUnderWay: Bool { forgotten > 0 || !ends.isEmpty }

  /// Goes back to where the client says that it is; false if it cannot be there, or that is no
  /// longer known.
  mutating func goBack(to client: DownloadPosition) -> Bool {
    guard client.number == frame.download, let slices = Int(exactly: client.slices), slices > 0,
      (forgotten...forgotten + ends.count).contains(slices)
    else { return false }
    ends.removeSubrange((slices - forgotten)...)
    position = ends.last ?? 0
    isComplete = false
    if !isExtended { return true }
    // What was sent again later, as something else perhaps, comes as that alone.
    var seen: Set<ObjectID> = []
    let toCome = entries[position...].reversed().filter { seen.insert($0.id).inserted }
    entries.replaceSubrange(position..., with: toCome.reversed())
    return true
  }

  /// Forgets what was sent, once that is more than is still to come and worth the room.
  fileprivate mutating func forgetSent() {
    guard position >= Self.sentMax, position > entries.count / 2 else { return }
    entries.removeSubrange(..<position)
    forgotten += ends.count
    ends = []
    position = 0
  }

  private static let sentMax = 1_000_000
}

/// Objects in the order in which they were found.
private struct Selected {
  var list: [ObjectID] = []
  var all: Set<ObjectID> = []
}

/// How much is in a slice, or may be.
private struct SliceSize {
  var cells: Int
  var bytes: Int

  static func + (left: SliceSize, right: SliceSize) -> SliceSize {
    SliceSize(cells: left.cells + right.cells, bytes: left.bytes + right.bytes)
  }

  static func - (left: SliceSize, right: SliceSize) -> SliceSize {
    SliceSize(cells: left.cells - right.cells, bytes: left.bytes - right.bytes)
  }

  func fits(in bound: SliceSize) -> Bool { cells <= bound.cells && bytes <= bound.bytes }
}

extension ServerCore {
  /// What a client has missed, if it has missed anything, or has not heard of its newest batch.
  /// Until it confirms, or comes anew, there is one download at a time.
  ///
  /// - Parameter now: the time in milliseconds: it numbers downloads, so that those of a server
  ///   that has been started anew have other numbers.
  public mutating func beginDownload(
    for id: ClientID, now: UInt64
  ) throws(SyncError) -> Download? {
    precondition(!needsFlush, "only what is durable may be sent")
    guard var file = files[id], file.offer == nil else { return nil }
    guard file.cursor < head.version || file.isViewStale || file.needsRebase else { return nil }
    var offer = ClientFile.Offer(
      version: head.version, floor: head.floor, queryVersion: file.queryVersion, view: file.view)
    let isWhole = file.isViewStale || file.needsRebase
    let selected = isWhole ? try selected(by: file.subscriptions) : nil
    let changed = try storage.objects(changedAfter: file.cursor, concerning: file)
    let candidates = try candidates(for: file, after: file.cursor, among: changed, selected)
    var entries = try entries(candidates, for: file, selected, &offer)
    let missed = isWhole ? bringMissedForward(in: &entries, changed, for: file) : entries.count
    var frame = DownloadSlice(from: file.cursor, to: head.version)
    downloadNumber = max(downloadNumber + 1, now)
    frame.download = downloadNumber
    frame.isRebase = file.needsRebase
    frame.acknowledged = file.acknowledged
    frame.time = head.time
    frame.floor = head.floor
    frame.queryVersion = file.queryVersion
    file.offer = offer
    files[id] = file
    return Download(
      client: id, from: file.cursor, frame: frame, entries: entries, missed: missed)
  }

  /// What changed comes first, since it is to be seen as transactions left it; what comes into view
  /// and leaves it is not of a transaction.
  ///
  /// - Returns: how many have changed.
  private func bringMissedForward(
    in entries: inout [Download.Entry], _ changed: [ObjectID], for file: ClientFile
  ) -> Int {
    if file.hasNothing { return 0 }
    if file.needsRebase { return entries.count }
    let changed = Set(changed)
    let missed = entries.filter { changed.contains($0.id) }
    entries = missed + entries.filter { !changed.contains($0.id) }
    return missed.count
  }

  /// What was merged since the last slice becomes part of the download: it would be seen in objects
  /// that are still to come, and so it has to be seen in the others as well when the last one is.
  private mutating func extend(_ download: inout Download) throws(SyncError) {
    guard var file = files[download.client], var offer = file.offer else { return }
    // The query set may be another one by now: what was sent for the old one is looked at as well.
    let changed = try storage.objects(changedAfter: download.frame.to)
    let candidates = try candidates(for: file, after: download.frame.to, among: changed, nil)
    let entries = try entries(candidates, for: file, nil, &offer)
    let again = Set(entries.map(\.id))
    download.forgetSent()
    if !entries.isEmpty {
      download.isExtended = true
      let toCome = download.entries[download.position...].filter { !again.contains($0.id) }
      download.entries.removeSubrange(download.position...)
      download.entries += toCome
      download.entries += entries
    }
    download.frame.to = head.version
    download.frame.acknowledged = file.acknowledged
    download.frame.time = head.time
    offer.version = head.version
    file.offer = offer
    files[download.client] = file
  }

  /// All objects that subscriptions select. Each query is evaluated once, however many objects and
  /// subscriptions there are. Objects that others link to come before these: a client keeps links
  /// to what it does not have yet aside, and goes through those of an object with every slice that
  /// brings some.
  private func selected(by subscriptions: [Subscription]) throws(SyncError) -> Selected {
    var found = Selected()
    let ranks = head.schema.ranksByLinks
    let order = subscriptions.indices.sorted {
      (ranks[subscriptions[$0].type] ?? 0, $0) < (ranks[subscriptions[$1].type] ?? 0, $1)
    }
    for subscription in order.map({ subscriptions[$0] }) {
      for id in try storage.objects(selectedBy: subscription) where found.all.insert(id).inserted {
        found.list.append(id)
      }
    }
    return found
  }

  private func entries(
    _ candidates: [ObjectID], for file: ClientFile, _ selected: Selected?,
    _ offer: inout ClientFile.Offer
  ) throws(SyncError) -> [Download.Entry] {
    var entries: [Download.Entry] = []
    for id in candidates {
      let state = try object(id)
      let refusal = file.refusals[id]?.refusal
      // What the client was sent before in this download, it has or lacks already.
      let isOffered = offer.added.contains(id) || offer.removed.contains(id)
      // Where a client starts over, what is not known here is not dead: it may be of a history
      // after the one that was restored, and the client may have it.
      let isUnknown = state == nil && file.creation(of: id) == nil
      if file.needsRebase, isUnknown, !isOffered, refusal == nil { continue }
      let isUncertain = isOffered || refusal != nil || file.claims[id] != nil
      let kind = try kind(of: id, state, for: file, selected, isUncertain: isUncertain)
      guard let kind else { continue }
      switch kind {
      case .update: break
      case .snapshot:
        offer.added.insert(id)
        offer.removed.remove(id)
      case .dead, .evicted:
        offer.removed.insert(id)
        offer.added.remove(id)
      }
      entries.append(Download.Entry(id: id, kind: kind, refusal: refusal))
    }
    return entries
  }

  /// The objects that the client may have to hear of, without repetition.
  ///
  /// - Parameters:
  ///   - changed: what has changed since the version and may concern it.
  ///   - selected: what it is to see, if that has to be found out anew.
  private func candidates(
    for file: ClientFile, after version: ServerVersion, among changed: [ObjectID],
    _ selected: Selected?
  ) throws(SyncError) -> [ObjectID] {
    var found = changed
    found += try storage.objects(dependingOn: found, under: file.subscriptions)
    if let selected {
      // Who has nothing has missed nothing.
      found = file.hasNothing ? selected.list + found : found + selected.list
      found += file.holds
    }
    let isWhole = selected != nil
    found += file.claims.filter { $0.value > version || isWhole }.keys
    found += file.refusals.filter { $0.value.version > version || isWhole }.keys
    var seen: Set<ObjectID> = []
    return found.filter { seen.insert($0).inserted }
  }

  /// How the client has to hear of an object, if it has to.
  private func kind(
    of id: ObjectID, _ object: ServerObject?, for file: ClientFile, _ selected: Selected?,
    isUncertain: Bool
  ) throws(SyncError) -> ObjectNews.Kind? {
    let isHeld = file.holds.contains(id)
    guard let object, object.generation.isAlive else {
      return isHeld || isUncertain ? .dead : nil
    }
    var isInView = storage.shows(id, object, to: file.user)
    if isInView, let selected {
      isInView = selected.all.contains(id)
    } else if isInView {
      isInView = try isSelected(id, object, by: file)
    }
    guard isInView else { return isHeld || isUncertain ? .evicted : nil }
    if !isHeld || isUncertain || file.needsRebase { return .snapshot }
    return object.version > file.cursor ? .update : nil
  }

  private func isSelected(
    _ id: ObjectID, _ object: ServerObject, by file: ClientFile
  ) throws(SyncError) -> Bool {
    let type = head.names[id.type]
    for subscription in file.subscriptions where subscription.type == type {
      if try storage.selects(subscription, id, object) { return true }
    }
    return false
  }

  /// The next slice: all that was missed if that is not too much, or some whole objects.
  ///
  /// An object that has changed since the download began comes as it is now; and if it has come
  /// before, it comes once more. That does no harm, since merging is idempotent.
  public mutating func nextSlice(
    of download: inout Download, cellsAtMost limit: Int = Limits.cellsOfOneTransaction,
    cellsOfSlice: Int = Limits.cellsOfSlice
  ) throws(SyncError) -> DownloadSlice {
    precondition(!needsFlush && !download.isComplete)
    if download.from < head.floor && !download.frame.isRebase {
      // Marks that this client needs have been trimmed meanwhile.
      throw SyncError(.divergence, "The client is too far behind; it has to come anew.")
    }
    let isFirst = !download.isUnderWay
    if !isFirst, head.version > download.frame.to { try extend(&download) }
    var slice = download.frame
    let short = SliceSize(cells: cellsOfSlice, bytes: Limits.bytesOfSlice)
    let long = SliceSize(cells: limit, bytes: Limits.bytesOfOneTransaction)
    let missed = isFirst ? download.missed : 0
    var sizes: [SliceSize] = []
    var sum = SliceSize(cells: 0, bytes: 0)
    while download.position < download.entries.count {
      let news = try news(download.entries[download.position], download)
      // That there is an object, or no more, counts as a cell.
      let size = SliceSize(cells: 1 + news.change.cellCount, bytes: news.change.byteEstimate)
      let bound = download.position < missed ? long : short
      if !sizes.isEmpty && !(sum + size).fits(in: bound) { break }
      sum = sum + size
      sizes.append(size)
      slice.objects.append(news)
      download.position += 1
    }
    if download.position < missed {
      // Not one transaction, so short ones.
      while sizes.count > 1 && !sum.fits(in: short) {
        sum = sum - sizes.removeLast()
        slice.objects.removeLast()
      }
      download.position = sizes.count
    }
    download.ends.append(download.position)
    slice.remaining = UInt64(download.entries.count - download.position)
    slice.isLast = slice.remaining == 0
    download.isComplete = slice.isLast
    return slice
  }

  private func news(
    _ entry: Download.Entry, _ download: Download
  ) throws(SyncError) -> ObjectNews {
    let object = try object(entry.id) ?? ServerObject()
    var kind = entry.kind
    if !object.generation.isAlive, kind != .evicted { kind = .dead }
    let change: ObjectChange =
      switch kind {
      case .update:
        object.change(of: entry.id, after: download.from, for: download.client)
      case .snapshot: object.snapshot(of: entry.id)
      case .dead, .evicted: ObjectChange(id: entry.id, generation: object.generation)
      }
    var news = ObjectNews(kind: kind, change: change, refusal: entry.refusal)
    news.creation = files[download.client]?.creation(of: entry.id)
    return news
  }
}
