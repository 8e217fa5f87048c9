import Coordination
import Platform

/// One commit, step by step.
///
///  1. Bring the free space to the base version; collect the pins; release what no pin needs. Pin
///     the base version, so that there is a slot for the pin of the new one.
///  2. Place the new nodes; append the history; record the space taken and freed.
///  3. Write the nodes to where no reader looks.
///  4. Write the slot. `full`: with the checksums of everything written, so that one flush covers
///     both. `strict`, large commits, and after unflushed ones: flush, then the slot. Others: a
///     volatile slot.
///  5. Flush, publish, move the pin, and let the caller wake the others.
///
/// A failure before 4 leaves nothing behind but bytes in free space. A failure in 4 or 5 erases the
/// slot again; after a failed flush nothing is written in this session before what the flush should
/// have covered has been written again (`FlushRepair`).
struct Committer {
  private let fileWriter: FileWriter
  let writer: NodeWriter
  let base: VersionNode
  let root: NodeReference
  let durability: Durability
  let history: [UInt8]
  /// For a commit of compaction: the free end of the file is cut off, among other things.
  var compaction: CompactionCommit?

  private var version: Version { base.version.next }
  private var lockFile: LockFile { fileWriter.lockFile }
  private var state: WriterState { fileWriter.state }

  init(
    _ fileWriter: FileWriter, writer: NodeWriter, base: VersionNode, root: NodeReference,
    durability: Durability, history: [UInt8], compaction: CompactionCommit? = nil
  ) {
    self.fileWriter = fileWriter
    self.writer = writer
    self.base = base
    self.root = root
    self.durability = durability
    self.history = history
    self.compaction = compaction
  }

  /// Returns a pin of the new version.
  func run() throws(StorageError) -> Pin {
    // Again: the transaction may have taken long, or its process may have been stopped in it.
    do throws(LockFileError) { try lockFile.requirePath() } catch { throw StorageError(error) }
    try prepareFreeSpace()
    let pin = try fileWriter.pins.claimNewest()
    do throws(StorageError) {
      return finish(try write(), moving: pin)
    } catch {
      lockFile.unpin(pin)
      throw error
    }
  }

  // MARK: Steps

  /// All that comes before publishing.
  private func write() throws(StorageError) -> PublishedVersion {
    let newHistory = try History.append(
      history, base: base.version, pins: state.pins, index: base.history,
      writer: writer, merge: fileWriter.options.mergeHistory,
      movingFrom: compaction?.boundary ?? .max)
    try writer.release(NodeReference(rawValue: base.published.root))
    var recorder = try FreeSpaceRecorder(
      freeSpace: state.freeSpace, index: base.freeSpace, version: version,
      writer: writer)
    try recorder.prepare(
      movingFrom: compaction?.boundary ?? .max, regionsMax: compaction?.regionsMax ?? 0)
    compaction?.movesMore = recorder.movesMore
    var serializer = NodeSerializer(extraSize: extraSize)
    serializer.collect(root)
    serializer.collect(newHistory)
    recorder.collect(into: &serializer)
    let (snapshot, logicalSize) = try place(&serializer, &recorder, newHistory)
    let mapping = try fileWriter.mappings.mapping(covering: logicalSize)
    // What is written of an encrypted file is kept, decrypted, for this process's own reading.
    let sealer = state.nodeCipher.map { NodeSealer($0, keepingIn: mapping) }
    let extents: [CommitSlot.ProvenExtent]
    // Asked once: a flush elsewhere may change the answer at any time.
    let isProvable = isProvable(serializer.totalBytes)
    do throws(SystemError) {
      extents = try serializer.write(
        to: fileWriter.file, version: version, sealer: sealer, proving: isProvable,
        scratch: &state.scratch)
    } catch {
      throw StorageError(error, doing: "write the nodes of a commit")
    }
    let final = NodeReference(rawValue: NodeSerializer.finalWord(snapshot.address))
    let published = PublishedVersion(
      version: version, root: final.rawValue, logicalSize: logicalSize)
    try requireTrustworthyReads()
    try writeSlot(published, proof: isProvable ? extents : nil)
    countUnflushed(serializer.totalBytes)
    recorder.publish()
    serializer.markVerified(in: mapping.verified, version: version)
    return published
  }

  /// When a flush has failed since the transaction began, Linux may have read pages again as they
  /// were before; what the transaction copied from them is not to become part of a version.
  ///
  /// - Throws: `.poisoned`, `.corrupt`.
  private func requireTrustworthyReads() throws(StorageError) {
    guard durability != .inMemory else { return }
    // Nor is what it has taken over from the log of free space, also where the process in whose
    // flush that happened was killed before it could say so.
    if lockFile.flushedVersion < base.version {
      try writer.source.requireUnchanged(base.freeSpace)
    }
    guard lockFile.flushFailure % 2 == 1 else { return }
    throw StorageError(
      .poisoned, path: fileWriter.file.path,
      "a flush has failed while the transaction was under way, so what it has read may be older"
        + " than what had been written; nothing was changed, begin it again")
  }

  /// For the decision when to flush.
  private func countUnflushed(_ written: UInt64) {
    guard durability == .relaxed else { return }
    let durable = lockFile.durableVersion
    var held: UInt64 = 0
    for run in writer.freed where run.createdIn <= durable { held += run.length }
    state.heldBytes += held
    state.unflushedBytes += written
    state.newestCommitBytes = written
  }

  private func prepareFreeSpace() throws(StorageError) {
    try fileWriter.refreshFreeSpace(
      base, source: writer.source, holdsDurable: durability != .inMemory)
    let count = UInt64(state.pins.count)
    let limit = fileWriter.options.activeVersionsMax
    if limit > 0, count > limit {
      throw StorageError(
        .tooManyVersions, path: fileWriter.file.path,
        "\(count) versions are in use, the limit is \(limit); release frozen objects, unresolved"
          + " references and readers that do not refresh")
    }
  }

  /// Gives all nodes their places, and fills the two that say where what is.
  ///
  /// - Returns: the snapshot node, and the size that the file has for the version.
  private func place(
    _ serializer: inout NodeSerializer, _ recorder: inout FreeSpaceRecorder,
    _ newHistory: NodeReference
  ) throws(StorageError) -> (snapshot: MutableNode, logicalSize: UInt64) {
    let freeSpace = state.freeSpace
    var placement = Placement(
      freeSpace: freeSpace, file: fileWriter.file, version: version, options: placementOptions)
    let reserve = recorder.indexSizeEstimate
    try serializer.nodes.withUnsafeBufferPointer { (nodes) throws(StorageError) in
      try placement.place(nodes[...], reserve: reserve)
    }
    let snapshot = writer.make(
      kind: .snapshot, referenceCount: SnapshotNode.referenceCount,
      dataSize: SnapshotNode.dataSize)
    let index = recorder.makeIndex(placement, extraCount: compaction?.operationsMax ?? 0)
    snapshot.setReference(SnapshotNode.root, root)
    snapshot.setReference(SnapshotNode.history, newHistory)
    snapshot.setReference(SnapshotNode.freeSpace, index.reference)
    let first = serializer.nodes.count
    // Its children have been collected before.
    serializer.append(index)
    serializer.append(snapshot)
    try serializer.nodes.withUnsafeBufferPointer { (nodes) throws(StorageError) in
      try placement.place(nodes[first...])
    }
    try compaction?.reserve(from: &placement)
    let cut = compaction?.cut
    placement.joinUsed()
    recorder.finish(placement, cut: cut, withheld: compaction?.withheld ?? [])
    snapshot.data.storeBytes(
      of: freeSpace.logicalSize, toByteOffset: SnapshotNode.logicalSize, as: UInt64.self)
    snapshot.data.storeBytes(
      of: (cut == nil ? base.lastCut : version).rawValue, toByteOffset: SnapshotNode.lastCut,
      as: UInt64.self)
    return (snapshot, freeSpace.logicalSize)
  }

  private var placementOptions: Placement.Options {
    Placement.Options(
      fillsGrowth: durability == .full || durability == .strict,
      keepsBlocksApart: durability == .strict || fileWriter.options.durability == .strict,
      boundary: compaction?.boundary,
      extraSize: extraSize)
  }

  private var extraSize: UInt64 {
    fileWriter.mappings.cipher == nil ? 0 : UInt64(SealedNodeLayout.extraSize)
  }

  /// Whether one flush can cover nodes and slot: what came before has been flushed, so the extents
  /// of this commit are all that a power loss could take, and they are few enough to be checked at
  /// recovery.
  private func isProvable(_ bytes: UInt64) -> Bool {
    durability == .full && bytes <= FileLayout.provenBytesMax
      && lockFile.flushedVersion >= base.version
  }

  private func writeSlot(
    _ published: PublishedVersion, proof: [CommitSlot.ProvenExtent]?
  ) throws(StorageError) {
    var slot = CommitSlot(published, boot: fileWriter.slots.boot)
    switch durability {
    case .grouped, .relaxed, .inMemory:
      do throws(SlotWriteError) { try fileWriter.slots.writeVolatile(slot) } catch {
        if !error.isPlaceClear { lockFile.noteFlushFailure() }
        throw StorageError(error.cause, doing: "write the slot of a commit")
      }
    case .full, .strict:
      if let proof, proof.count <= fileWriter.slots.extentsMax {
        slot.extents = proof
      } else {
        try fileWriter.flusher.flushNodes(
          below: NodeReference(rawValue: base.published.root),
          size: base.published.logicalSize, doing: "flush the nodes of a commit")
      }
      try fileWriter.flusher.commitDurably(slot)
    }
  }

  private func finish(_ published: PublishedVersion, moving pin: Pin) -> Pin {
    if durability == .inMemory {
      lockFile.raiseDurableVersion(to: version)
      lockFile.raiseFlushedVersion(to: version)
    }
    fileWriter.flusher.noteCommit(version)
    return lockFile.publish(published, moving: pin)
  }
}
