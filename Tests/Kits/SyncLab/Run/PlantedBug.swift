import SyncProtocol

/// Defects of a server and of the wire that runs can have planted in them. Others are patches of
/// the sources, in the folder `PlantedBugs`.
public enum PlantedBug: String, CaseIterable, Sendable {
  /// The server answers before its commits are durable.
  case losesCommits
  /// The server answers for a batch that it has not seen.
  case answersTooMuch
  /// The server takes all of a batch but for its last object.
  case takesHalf
  /// The server never says that an object is dead.
  case forgetsDeaths

  /// What the server gets instead of a frame.
  func received(_ bytes: [UInt8], names: Names) -> [UInt8] {
    guard self == .takesHalf,
      case .upload(let number, let part, true, let content)? = try? Frame.decode(bytes),
      var batch = try? UploadBatch.decode(content, names: names).batch, batch.objects.count > 1
    else { return bytes }
    batch.objects.removeLast()
    return Frame.upload(
      batch: number, part: part, isLast: true, batch.encoded(names: names)
    ).encoded
  }

  /// What a client gets instead of a frame.
  func sent(
    _ bytes: [UInt8], to core: ClientCore<MemoryClientStorage>, names: Names
  ) -> [UInt8] {
    guard self == .answersTooMuch || self == .forgetsDeaths,
      case .download(let part, true, let content)? = try? Frame.decode(bytes)
    else { return bytes }
    var names = names
    guard var slice = try? DownloadSlice.decode(content, names: &names) else { return bytes }
    if self == .answersTooMuch, slice.isLast { slice.acknowledged = core.storage.record.batch }
    if self == .forgetsDeaths { slice.objects.removeAll { $0.kind == .dead } }
    return Frame.download(part: part, isLast: true, slice.encoded(names: names)).encoded
  }
}
