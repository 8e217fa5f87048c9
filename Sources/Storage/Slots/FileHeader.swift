import Platform

/// The header of a data file: what kind of file it is and, where it is encrypted, what its keys
/// follow from.
enum FileHeader {
  /// Writes the header of a new file.
  static func write(to file: any SystemFile, cipher: FileCipher?) throws(SystemError) {
    let used = cipher == nil ? FileLayout.headerUsed : FileLayout.headerUsedEncrypted
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: used, alignment: 8)
    defer { bytes.deallocate() }
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    bytes.storeBytes(of: FileLayout.magic, toByteOffset: FileLayout.headerMagic, as: UInt64.self)
    bytes.storeBytes(
      of: cipher == nil ? FileLayout.formatVersion : FileLayout.encryptedFormatVersion,
      toByteOffset: FileLayout.headerFormatVersion, as: UInt32.self)
    RandomBytes.fill(
      UnsafeMutableRawBufferPointer(
        rebasing: bytes[FileLayout.headerFileIdentifier..<FileLayout.headerChecksum]))
    bytes.storeBytes(
      of: checksum(bytes.baseAddress!, count: FileLayout.headerChecksum),
      toByteOffset: FileLayout.headerChecksum, as: UInt32.self)
    if let cipher { cipher.write(to: bytes) }
    try file.write(UnsafeRawBufferPointer(bytes), at: UInt64(FileLayout.header))
  }

  /// Writes the header as it is once more, for a flush to find: one that failed may have left it
  /// out.
  ///
  /// - Throws: also where it is not there any more: nothing may be written behind no header. The
  ///   next process that is alone with the file makes it anew.
  static func rewrite(_ file: any SystemFile) throws(SystemError) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileLayout.headerUsedEncrypted, alignment: 8)
    defer { bytes.deallocate() }
    guard try file.read(into: bytes, at: UInt64(FileLayout.header)) == bytes.count,
      bytes.load(as: UInt64.self) == FileLayout.magic
    else { throw SystemError(call: .read, path: file.path, code: ErrorNumber.inputOutput) }
    try file.write(UnsafeRawBufferPointer(bytes), at: UInt64(FileLayout.header))
  }

  /// Sixteen random bytes that the file was given when it was made, as hexadecimal digits.
  static func identifier(of file: any SystemFile) throws(SystemError) -> String {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)
    defer { bytes.deallocate() }
    _ = try file.read(into: bytes, at: UInt64(FileLayout.headerFileIdentifier))
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  enum State {
    case absent
    /// With what the file is read and written with, if it is encrypted.
    case valid(FileCipher?)
  }

  /// - Parameter key: what the file is to be encrypted with, or nil.
  /// - Throws: `.notADatabase`, `.unsupportedFormat`, `.corrupt`, `.wrongKey` or
  ///   `.encryptionUnavailable`.
  static func check(_ file: any SystemFile, key: EncryptionKey?) throws(StorageError) -> State {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileLayout.headerUsedEncrypted, alignment: 8)
    defer { bytes.deallocate() }
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    let count: Int
    do { count = try file.read(into: bytes, at: 0) } catch {
      throw StorageError(error, doing: "read the header")
    }
    let sumHolds =
      count >= FileLayout.headerUsed
      && bytes.load(fromByteOffset: FileLayout.headerChecksum, as: UInt32.self)
        == checksum(bytes.baseAddress!, count: FileLayout.headerChecksum)
    if !sumHolds {
      if holdsNothingYet(file) { return .absent }
      if isUnfinished(UnsafeRawBufferPointer(rebasing: bytes[..<FileLayout.headerUsed])) {
        return try unfinished(file)
      }
    }
    guard bytes.load(as: UInt64.self) == FileLayout.magic else {
      throw StorageError(
        .notADatabase, path: file.path,
        "the file does not start with the bytes HOLDFAST; it is another kind of file, or its header"
          + " is damaged")
    }
    guard sumHolds else {
      throw .corrupt(file.path, at: 0, "the checksum of the file header does not hold")
    }
    return try cipherOrAbsence(UnsafeRawBufferPointer(bytes), file, key)
  }

  /// The state of a file whose header is whole.
  private static func cipherOrAbsence(
    _ bytes: UnsafeRawBufferPointer, _ file: any SystemFile, _ key: EncryptionKey?
  ) throws(StorageError) -> State {
    let version = bytes.load(fromByteOffset: FileLayout.headerFormatVersion, as: UInt32.self)
    switch version {
    case FileLayout.formatVersion:
      guard key == nil else {
        throw .wrongKey(
          file.path,
          "the file is not encrypted; open it without a key, or make an encrypted copy of it with"
            + " `writeCopy(toFile:encryptionKey:)`")
      }
      return .valid(nil)
    case FileLayout.encryptedFormatVersion:
      // A power loss may have kept this part of the header from the disk.
      guard FileCipher.isSaltWhole(bytes) else {
        if holdsNothingYet(file) { return .absent }
        throw .corrupt(
          file.path, at: UInt64(FileLayout.headerSalt),
          "the checksum of what the file's keys follow from does not hold")
      }
      guard let key else {
        throw .wrongKey(file.path, "the file is encrypted; open it with its key")
      }
      return .valid(try FileCipher(key, header: bytes, path: file.path))
    default:
      throw StorageError(
        .unsupportedFormat, path: file.path,
        "the file has format \(version), this program reads format \(FileLayout.formatVersion), and"
          + " \(FileLayout.encryptedFormatVersion) with a key; open it with a program of its age")
    }
  }

  /// Whether these may be the first bytes of a header that a power loss cut short: some bytes of
  /// ours, then zeros.
  private static func isUnfinished(_ bytes: UnsafeRawBufferPointer) -> Bool {
    withUnsafeBytes(of: FileLayout.magic) { magic in
      var isCut = false
      for index in 0..<8 {
        if isCut && bytes[index] != 0 { return false }
        if bytes[index] != magic[index] {
          if bytes[index] != 0 { return false }
          isCut = true
        }
      }
      return !isCut || bytes.allSatisfy { $0 == 0 } || bytes[8...].allSatisfy { $0 == 0 }
    }
  }

  /// Whether the file held nothing when its header came to harm: one slot of ours names version 1,
  /// which is empty, and nothing follows it. The file may have grown for a commit that never was.
  private static func holdsNothingYet(_ file: any SystemFile) -> Bool {
    let slots = SlotStore(file: file, boot: BootIdentifier(high: 0, low: 0))
    guard let contents = try? slots.read(), contents.durable.count == 1 else { return false }
    return contents.durable[0].isOfNewFile && contents.highestClaim == 1
  }

  /// Whether a file that does not hold was never more than version 1, which is empty: a flush of
  /// its making failed, and a power loss left a part of it, or parts of two attempts. It never grew
  /// for a commit, so it never held an object.
  static func wasNeverMade(_ file: any SystemFile) -> Bool {
    guard let size = try? file.size(), size <= sizeOfNewFile else { return false }
    return holdsNothingYet(file)
  }

  private static var sizeOfNewFile: UInt64 {
    UInt64(FileLayout.firstNode) + FileLayout.initialSpace
  }

  /// A header that was never finished: the file is new, or its making was cut short before it held
  /// anything.
  private static func unfinished(
    _ file: any SystemFile
  ) throws(StorageError) -> State {
    let size: UInt64
    let slots: [CommitSlot]
    do throws(SystemError) {
      size = try file.size()
      slots = try SlotStore(file: file, boot: BootIdentifier(high: 0, low: 0)).read().durable
    } catch { throw StorageError(error, doing: "read the header") }
    if slots.contains(where: { $0.version > 1 }) {
      throw .corrupt(file.path, at: 0, "the file header does not hold although versions follow")
    }
    guard size <= sizeOfNewFile else {
      throw StorageError(
        .notADatabase, path: file.path,
        "the file holds \(size) bytes but no whole header of ours")
    }
    return .absent
  }
}
