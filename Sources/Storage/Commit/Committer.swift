import Coordination
import Platform

/// One commit, step by step.
///
///  1. Bring the free space to the base version; collect the pins; release what no pin needs. Pin the
///     base version, so that there is a slot for the pin of the new one.
///  2. Place the new nodes; append the history; record the space taken and let go of.
///  3. Write the nodes to where nobody looks.
///  4. Write the slot. `full`: with the checksums of everything written, so that one flush covers
///     both. `strict`, and after unflushed commits: flush, then the slot. Others: a volatile slot.
///  5. Flush, publish, move the pin, and let the caller wake the others.
///
/// A failure before 4 leaves nothing behind but bytes in free space. A failure in 4 or 5 erases the
/// slot again; a failed flush also poisons this database, because what the kernel did with the
/// pages is unknown.
struct Committer {
  let database: Database
  let writer: NodeWriter
  let base: WriteTransaction.BaseVersion
  let root: NodeReference
  let durability: Durability
  let history: [UInt8]
  /// For a commit of compaction: nodes go below here, and the free end of the file is cut off.
  let compactionBoundary: UInt64?

  private var version: UInt64 { base.published.version + 1 }

  init(
    database: Database, writer: NodeWriter, base: WriteTransaction.BaseVersion,
    root: NodeReference, durability: Durability, history: [UInt8],
    compactionBoundary: UInt64? = nil
  ) {
    self.database = database
    self.writer = writer
    self.base = base
    self.root = root
    self.durability = durability
    self.history = history
    self.compactionBoundary = compactionBoundary
  }

  /// Returns a pin of the new version.
  func run() throws(StorageError) -> Pin {
    let lockFile = database.lockFile
    if database.isPoisoned.load(ordering: .relaxed) { throw database.poisonedError() }
    try prepareFreeSpace(lockFile)
    let pin = try database.claimPin()
    do throws(StorageError) {
      return finish(try write(lockFile), moving: pin, lockFile)
    } catch {
      lockFile.unpin(pin)
      throw error
    }
  }

  // MARK: steps

  /// All that comes before publishing.
  private func write(_ lockFile: LockFile) throws(StorageError) -> PublishedVersion {
    let snapshot = try place(lockFile)
    let extents: [CommitSlot.ProvenExtent]
    do {
      extents = try snapshot.serializer.write(
        to: database.file, version: version, proving: isProvable(lockFile),
        scratch: &database.writerState.scratch)
    } catch {
      throw StorageError(error, doing: "write the nodes of a commit")
    }
    let final = NodeReference(rawValue: NodeSerializer.finalWord(snapshot.address))
    let published = PublishedVersion(
      version: version, root: final.rawValue, logicalSize: snapshot.logicalSize)
    let mapping = try database.mapping(covering: snapshot.logicalSize)
    try writeSlot(published, extents: extents, lockFile: lockFile)
    snapshot.serializer.markVerified(in: mapping)
    return published
  }

  private func prepareFreeSpace(_ lockFile: LockFile) throws(StorageError) {
    try database.refreshFreeSpace(
      base, source: writer.source, holdsDurable: durability != .inMemory)
    let count = UInt64(database.writerState.pins.count)
    let limit = database.options.activeVersionsMax
    if limit > 0, count > limit {
      throw StorageError(
        .tooManyVersions, path: database.path,
        "\(count) versions are in use, the limit is \(limit); release frozen objects, unresolved"
          + " references and readers that do not refresh")
    }
  }

  private struct Placed {
    var serializer: NodeSerializer
    var address: UnsafeMutableRawPointer
    var logicalSize: UInt64
  }

  private func place(_ lockFile: LockFile) throws(StorageError) -> Placed {
    let state = database.writerState
    let newHistory = try History.append(
      history, base: base.published.version, pins: state.pins, index: base.history,
      writer: writer, merge: database.options.mergeHistory,
      movingFrom: compactionBoundary ?? .max)
    try writer.release(NodeReference(rawValue: base.published.root))
    var serializer = NodeSerializer()
    serializer.collect(root)
    serializer.collect(newHistory)
    let reserve = UInt64(1024 + (writer.freed.count + FreeSpaceLog.tailCountMax) * 32)
    // The state is taken out while it changes, so that there is one owner and no copy. When this
    // throws it stays without a version and is read anew.
    var placement = Placement(
      freeSpace: state.freeSpace, file: database.file,
      fillsGrowth: durability == .full || durability == .strict)
    state.freeSpace = FreeSpace()
    if let compactionBoundary { placement.compact(below: compactionBoundary) }
    try placement.place(serializer.nodes[...], reserve: reserve)
    let cut = compactionBoundary == nil ? nil : placement.cutTail()
    let grownBeforeCut = placement.grown.count
    var recorder = try FreeSpaceRecorder(
      freeSpace: placement.freeSpace, index: base.freeSpace, version: version, writer: writer,
      allocationsMax: placement.used.count + placement.grown.count + 1,
      movingFrom: compactionBoundary ?? .max)
    if recorder.wroteBase { placement.forgetRecorded() }
    if let compactionBoundary { placement.compact(below: compactionBoundary) }
    let snapshot = writer.make(
      kind: .snapshot, referenceCount: SnapshotNode.referenceCount,
      dataSize: SnapshotNode.dataSize)
    snapshot.setReference(SnapshotNode.root, root)
    snapshot.setReference(SnapshotNode.history, newHistory)
    snapshot.setReference(SnapshotNode.freeSpace, recorder.reference)
    let first = serializer.nodes.count
    serializer.collect(recorder.reference)
    serializer.append(snapshot)
    try placement.place(serializer.nodes[first...])
    recorder.finish(
      used: placement.used, grown: placement.grown, cut: recorder.wroteBase ? nil : cut,
      grownBeforeCut: grownBeforeCut)
    state.freeSpace = placement.finish()
    state.freeSpace.version = nil
    let logicalSize = state.freeSpace.logicalSize
    snapshot.data.storeBytes(of: logicalSize, as: UInt64.self)
    return Placed(serializer: serializer, address: snapshot.address, logicalSize: logicalSize)
  }

  /// Whether one flush can cover nodes and slot: the version before is durable, so the extents of
  /// this commit are all that a power loss could take.
  private func isProvable(_ lockFile: LockFile) -> Bool {
    durability == .full && lockFile.durableVersion == base.published.version
  }

  private func writeSlot(
    _ published: PublishedVersion, extents: [CommitSlot.ProvenExtent], lockFile: LockFile
  ) throws(StorageError) {
    var slot = CommitSlot(
      version: version, root: NodeReference(rawValue: published.root),
      logicalSize: published.logicalSize)
    let durable = lockFile.durableVersion
    switch durability {
    case .grouped, .relaxed, .inMemory:
      slot.boot = database.system.bootIdentifier()
      let place = FileLayout.volatileSlots[Int(version % 2)]
      do { try SlotWriter.write(slot, at: place, to: database.file) } catch {
        try? SlotWriter.erase(at: place, in: database.file)
        throw StorageError(error, doing: "write the slot of a commit")
      }
    case .full, .strict:
      let isProvable = isProvable(lockFile) && extents.count <= FileLayout.slotExtentsMax
      if isProvable { slot.extents = extents } else { slot.flushedBefore = true }
      if !isProvable { try flush("flush the nodes of a commit") }
      try writeDurable(slot, keeping: durable)
      lockFile.durableVersion = version
    }
  }

  private func writeDurable(_ slot: CommitSlot, keeping durable: UInt64) throws(StorageError) {
    let place: Int
    do {
      place = try Recovery.spareDurableSlot(keeping: durable, file: database.file)
    } catch { throw StorageError(error, doing: "read a commit slot") }
    do { try SlotWriter.write(slot, at: place, to: database.file) } catch {
      database.withdrawSlot(at: place)
      throw StorageError(error, doing: "write the slot of a commit")
    }
    do throws(StorageError) { try flush("flush a commit") } catch {
      database.withdrawSlot(at: place)
      throw error
    }
  }

  private func flush(_ what: String) throws(StorageError) {
    do { try database.file.synchronize() } catch {
      database.isPoisoned.store(true, ordering: .relaxed)
      throw StorageError(error, doing: what)
    }
  }

  private func finish(
    _ published: PublishedVersion, moving pin: Pin, _ lockFile: LockFile
  ) -> Pin {
    let state = database.writerState
    for freed in writer.freed {
      state.freeSpace.add(
        FreeSpace.Waiting(
          extent: Extent(offset: freed.offset, length: freed.length), born: freed.born,
          freed: version))
    }
    state.freeSpace.version = version
    if durability == .inMemory { lockFile.durableVersion = version }
    let moved = lockFile.publish(published, moving: pin)
    database.maintenance.committed(
      database, durability: durability, freeSpace: state.freeSpace)
    return moved
  }
}

extension Database {
  /// Brings the free space to the newest version and releases what no pin needs. The writer lock is
  /// held, and `base` is the newest version.
  func refreshFreeSpace(
    _ base: WriteTransaction.BaseVersion, source: NodeSource, holdsDurable: Bool
  ) throws(StorageError) {
    let state = writerState
    try state.freeSpace.advance(
      to: base.published.version, source: source, index: base.freeSpace,
      logicalSize: base.published.logicalSize)
    lockFile.pinnedVersions(into: &state.pins)
    state.addPin(base.published.version)
    state.freeSpace.release(
      pins: state.pins, durable: holdsDurable ? lockFile.durableVersion : nil)
  }
}

extension WriteTransaction {
  /// As the first step of a commit does, for those that only look.
  func refreshFreeSpace() throws(StorageError) {
    try database.refreshFreeSpace(
      base, source: writer.source, holdsDurable: database.options.durability != .inMemory)
  }
}

extension WriteTransaction {
  /// Whether a part of the free space's base or log lies at or beyond `boundary`.
  func freeSpaceLogReaches(_ boundary: UInt64) throws(StorageError) -> Bool {
    let index = try source.node(base.freeSpace)
    for position in 0..<index.referenceCount
    where index.reference(position).offset >= boundary {
      return true
    }
    return false
  }
}
