import Platform

/// The slots of a data file and its closing mark: all reading and writing of them is here.
///
/// A durable slot is never written over while it is the one that recovery would need: writes go to
/// the other one. Flushes are the caller's.
struct SlotStore {
  let file: any SystemFile
  let boot: BootIdentifier
  /// Seals the slots of an encrypted file. Without it theirs are read as they are.
  let cipher: FileCipher?

  init(file: any SystemFile, boot: BootIdentifier, cipher: FileCipher? = nil) {
    self.file = file
    self.boot = boot
    self.cipher = cipher
  }

  /// How many extents a slot has room for.
  var extentsMax: Int {
    cipher == nil ? FileLayout.slotExtentsMax : FileLayout.slotExtentsMaxEncrypted
  }

  /// What is in the file. Slots that are torn, damaged or were never written are left out, and
  /// volatile ones of other boots.
  struct Contents {
    /// The newest first.
    var durable: [CommitSlot] = []
    /// The newest first.
    var unflushed: [CommitSlot] = []
    /// Names a durable slot that is known to be on disk with all that it names.
    var mark: ClosingMark?
    /// The highest version that any slot claims, whole or not.
    var highestClaim = Version.zero
    /// Where a slot is whole that was not written to that place with the file's key.
    var forged: Int?
  }

  struct ClosingMark: Hashable {
    var version: Version
    var slotChecksum: UInt32
  }

  // MARK: Reading

  /// Reads through the descriptor, so that a file shorter than it should be is no signal.
  func read() throws(SystemError) -> Contents {
    let start = FileLayout.durableSlots[0]
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileLayout.firstNode - start, alignment: 8)
    defer { bytes.deallocate() }
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    _ = try file.read(into: bytes, at: UInt64(start))
    func part(_ offset: Int) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: bytes[offset - start..<offset - start + FileLayout.slotSize])
    }
    var contents = Contents()
    func slot(_ offset: Int) -> CommitSlot? {
      guard let slot = CommitSlot(part(offset)) else { return nil }
      if isAuthentic(part(offset), at: offset) { return slot }
      contents.forged = offset
      return nil
    }
    contents.durable = FileLayout.durableSlots.compactMap(slot)
    contents.unflushed = FileLayout.volatileSlots.compactMap(slot).filter { $0.boot == boot }
    contents.durable.sort { $0.version > $1.version }
    contents.unflushed.sort { $0.version > $1.version }
    contents.mark = ClosingMark(part(FileLayout.closingMark))
    for offset in FileLayout.durableSlots + FileLayout.volatileSlots {
      let claim = part(offset).load(fromByteOffset: FileLayout.slotVersion, as: UInt64.self)
      contents.highestClaim = max(contents.highestClaim, Version(claim))
    }
    return contents
  }

  /// Whether any slot claims a version beyond `version`, torn or not; a look without system calls.
  static func claimsMore(than version: Version, _ mapping: Mapping) -> Bool {
    func claimsMore(_ offset: Int) -> Bool {
      mapping.address.load(fromByteOffset: offset + FileLayout.slotVersion, as: UInt64.self)
        > version.rawValue
    }
    return FileLayout.durableSlots.contains(where: claimsMore)
      || FileLayout.volatileSlots.contains(where: claimsMore)
  }

  /// The version of a durable slot that the session does not know of: its writer died before it
  /// could say that the slot is on its way to the disk. A power loss may lead to it all the same. A
  /// look without system calls unless there is one.
  func unknownVersion(
    after durable: Version, upTo newest: Version, except pending: Version, _ mapping: Mapping
  ) throws(SystemError) -> Version? {
    for place in FileLayout.durableSlots {
      let claim = Version(
        mapping.address.load(fromByteOffset: place + FileLayout.slotVersion, as: UInt64.self))
      guard claim > durable, claim <= newest, claim != pending else { continue }
      if try readSlot(at: place)?.version == claim { return claim }
    }
    return nil
  }

  // MARK: Durable slots

  /// Writes a durable slot where it does not touch that of version `kept`. On failure the place is
  /// cleared again if possible.
  func writeDurable(
    _ slot: CommitSlot, keeping kept: Version
  ) throws(SlotWriteError) {
    let place: Int
    do throws(SystemError) { place = try spare(keeping: kept) } catch {
      throw SlotWriteError(cause: error, isPlaceClear: true)
    }
    do throws(SystemError) { try write(slot, at: place) } catch {
      throw SlotWriteError(cause: error, isPlaceClear: erase(at: place))
    }
  }

  /// Clears the durable slot that does not hold version `kept`, so that a commit which was reported
  /// as failed does not come back.
  ///
  /// - Returns: false if that failed.
  func eraseDurable(keeping kept: Version) -> Bool {
    guard let place = try? spare(keeping: kept) else { return false }
    return erase(at: place)
  }

  /// Clears the durable slot of a version, if there is one.
  func eraseDurable(of version: Version) {
    for place in FileLayout.durableSlots where (try? readSlot(at: place))?.version == version {
      _ = erase(at: place)
    }
  }

  /// Writes the durable slot of a version once more where it is, as it is, for a flush to find.
  ///
  /// - Returns: false if it is not there any more: the page cache has been read again.
  func rewriteDurable(_ version: Version) throws(SystemError) -> Bool {
    var isThere = false
    for place in FileLayout.durableSlots {
      try withSlotBytes { bytes throws(SystemError) in
        guard try file.read(into: bytes, at: UInt64(place)) == bytes.count,
          CommitSlot(UnsafeRawBufferPointer(bytes))?.version == version
        else { return }
        try file.write(UnsafeRawBufferPointer(bytes), at: UInt64(place))
        isThere = true
      }
    }
    return isThere
  }

  /// The place of the durable slot that is not that of version `kept`, which has to be there: else
  /// nobody knows which of the two recovery needs.
  private func spare(keeping kept: Version) throws(SystemError) -> Int {
    let places = FileLayout.durableSlots
    if try readSlot(at: places[0])?.version == kept { return places[1] }
    let isThere = try readSlot(at: places[1])?.version == kept
    guard isThere || kept == .zero else {
      throw SystemError(call: .read, path: file.path, code: ErrorNumber.inputOutput)
    }
    return places[0]
  }

  private func readSlot(at offset: Int) throws(SystemError) -> CommitSlot? {
    var slot: CommitSlot?
    try withSlotBytes { bytes throws(SystemError) in
      guard try file.read(into: bytes, at: UInt64(offset)) == bytes.count,
        isAuthentic(UnsafeRawBufferPointer(bytes), at: offset)
      else { return }
      slot = CommitSlot(UnsafeRawBufferPointer(bytes))
    }
    return slot
  }

  // MARK: Volatile slots

  /// Writes a volatile slot; they take turns. On failure the place is cleared again if possible.
  func writeVolatile(_ slot: CommitSlot) throws(SlotWriteError) {
    let place = FileLayout.volatileSlots[Int(slot.version.rawValue % 2)]
    do throws(SystemError) { try write(slot, at: place) } catch {
      throw SlotWriteError(cause: error, isPlaceClear: erase(at: place))
    }
  }

  // MARK: After recovery, at the end

  /// Clears every slot that claims a version beyond `version`.
  ///
  /// - Returns: whether there was any.
  func eraseClaims(beyond version: Version) throws(SystemError) -> Bool {
    var found = false
    for place in FileLayout.durableSlots + FileLayout.volatileSlots {
      var claim = Version.zero
      try withSlotBytes { bytes throws(SystemError) in
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        _ = try file.read(into: bytes, at: UInt64(place))
        claim = Version(bytes.load(fromByteOffset: FileLayout.slotVersion, as: UInt64.self))
      }
      guard claim > version else { continue }
      found = true
      try writeZeros(at: place)
    }
    return found
  }

  /// Clears every slot but the durable one of `version`, also those that are clear already: that
  /// may not have reached the disk.
  ///
  /// - Returns: false, with nothing cleared, if that one is not there.
  func eraseAll(but version: Version) throws(SystemError) -> Bool {
    let kept = try FileLayout.durableSlots.map { (place) throws(SystemError) in
      try readSlot(at: place)?.version == version
    }
    guard kept.contains(true) else { return false }
    for place in FileLayout.volatileSlots { try writeZeros(at: place) }
    for (place, isKept) in zip(FileLayout.durableSlots, kept) where !isKept {
      try writeZeros(at: place)
    }
    return true
  }

  /// Says that the newest durable slot, of `version`, and all that it names are on disk. Needs no
  /// flush: without the mark the next opening looks for itself.
  func writeClosingMark(_ version: Version) throws(SystemError) {
    let contents = try read()
    guard let slot = contents.durable.first, slot.version == version,
      contents.mark != ClosingMark(version: version, slotChecksum: slot.checksum)
    else { return }
    try withSlotBytes { bytes throws(SystemError) in
      ClosingMark(version: version, slotChecksum: slot.checksum).encode(into: bytes)
      try file.write(UnsafeRawBufferPointer(bytes), at: UInt64(FileLayout.closingMark))
    }
  }

  // MARK: Bytes

  private func write(_ slot: CommitSlot, at offset: Int) throws(SystemError) {
    try withSlotBytes { bytes throws(SystemError) in
      slot.encode(into: bytes)
      if let cipher {
        cipher.seal(slot: bytes, at: offset)
        CommitSlot.setChecksum(of: bytes)
      }
      try file.write(UnsafeRawBufferPointer(bytes), at: UInt64(offset))
    }
  }

  private func isAuthentic(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    cipher?.isAuthentic(slot: bytes, at: offset) ?? true
  }

  private func erase(at offset: Int) -> Bool {
    (try? writeZeros(at: offset)) != nil
  }

  private func writeZeros(at offset: Int) throws(SystemError) {
    try withSlotBytes { bytes throws(SystemError) in
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      try file.write(UnsafeRawBufferPointer(bytes), at: UInt64(offset))
    }
  }

  private func withSlotBytes(
    _ body: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Void
  ) throws(SystemError) {
    var failure: SystemError?
    withUnsafeTemporaryAllocation(byteCount: FileLayout.slotSize, alignment: 8) { bytes in
      do throws(SystemError) { try body(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}

/// A slot could not be written.
struct SlotWriteError: Error {
  var cause: SystemError
  /// False if its place may hold anything now.
  var isPlaceClear: Bool
}

extension SlotStore.ClosingMark {
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard
      bytes.load(fromByteOffset: FileLayout.markMagic, as: UInt32.self)
        == FileLayout.markMagicValue,
      bytes.load(fromByteOffset: FileLayout.markChecksum, as: UInt32.self) == Self.sum(bytes)
    else { return nil }
    version = Version(bytes.load(fromByteOffset: FileLayout.markVersion, as: UInt64.self))
    slotChecksum = bytes.load(fromByteOffset: FileLayout.markSlotChecksum, as: UInt32.self)
  }

  func encode(into bytes: UnsafeMutableRawBufferPointer) {
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    bytes.storeBytes(
      of: FileLayout.markMagicValue, toByteOffset: FileLayout.markMagic, as: UInt32.self)
    bytes.storeBytes(of: version.rawValue, toByteOffset: FileLayout.markVersion, as: UInt64.self)
    bytes.storeBytes(of: slotChecksum, toByteOffset: FileLayout.markSlotChecksum, as: UInt32.self)
    bytes.storeBytes(
      of: Self.sum(UnsafeRawBufferPointer(bytes)), toByteOffset: FileLayout.markChecksum,
      as: UInt32.self)
  }

  private static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    checksum(
      bytes.baseAddress! + FileLayout.markVersion,
      count: FileLayout.markUsed - FileLayout.markVersion)
  }
}
