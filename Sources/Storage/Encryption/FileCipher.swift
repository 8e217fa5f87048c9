import Platform

/// What an encrypted file is read and written with: keys that follow from the program's key and
/// from random bytes in the file's header, so that no two files share one. Any thread may use it.
final class FileCipher: Sendable {
  /// The random bytes, in the header.
  let salt: [UInt8]
  private let nodeKey: SecretBytes
  private let headerKey: SecretBytes
  /// Threads decrypt side by side, but the same node one after the other.
  private let openers: [NodeOpener]
  private let slots: LockedValue<AuthenticatedCipher>

  private static let openerCount = 8

  /// - Parameter salt: that of the file's header.
  /// - Throws: `.encryptionUnavailable`.
  init(_ key: EncryptionKey, salt: [UInt8], path: String) throws(StorageError) {
    if let reason = CryptoLibrary.load() {
      throw StorageError(
        .encryptionUnavailable, path: path,
        "encryption needs OpenSSL's libcrypto, which could not be loaded (\(reason)); install it,"
          + " on Debian and Ubuntu the package libssl3")
    }
    self.salt = salt
    let derived = DerivedKey(key.bytes, salt: salt)
    let nodeKey = derived.key(for: "holdfast nodes")
    self.nodeKey = nodeKey
    headerKey = derived.key(for: "holdfast header")
    slots = LockedValue(AuthenticatedCipher(key: derived.key(for: "holdfast slots")))
    openers = (0..<Self.openerCount).map { _ in NodeOpener(key: nodeKey) }
  }

  /// For a new file.
  static func make(_ key: EncryptionKey, path: String) throws(StorageError) -> FileCipher {
    try FileCipher(key, salt: RandomBytes.make(FileLayout.headerSaltSize), path: path)
  }

  // MARK: Header

  /// The cipher of an existing file.
  ///
  /// - Parameter header: `FileLayout.headerUsedEncrypted` bytes.
  /// - Throws: `.wrongKey`, `.encryptionUnavailable`.
  convenience init(
    _ key: EncryptionKey, header: UnsafeRawBufferPointer, path: String
  ) throws(StorageError) {
    let salt = header[FileLayout.headerSalt..<FileLayout.headerSeal]
    try self.init(key, salt: Array(salt), path: path)
    guard seal(of: header).elementsEqual(Self.seal(in: header)) else {
      throw .wrongKey(path, "the file has another key; open it with the one that it was made with")
    }
  }

  /// Whether the part of a header that is of encrypted files alone is undamaged.
  static func isSaltWhole(_ header: UnsafeRawBufferPointer) -> Bool {
    header.load(fromByteOffset: FileLayout.headerSaltChecksum, as: UInt32.self)
      == saltChecksum(header)
  }

  /// Completes the header of a new file.
  func write(to header: UnsafeMutableRawBufferPointer) {
    header[FileLayout.headerSalt..<FileLayout.headerSeal].copyBytes(from: salt)
    header[FileLayout.headerSeal..<FileLayout.headerSaltChecksum].copyBytes(
      from: seal(of: UnsafeRawBufferPointer(header)))
    header.storeBytes(
      of: Self.saltChecksum(UnsafeRawBufferPointer(header)),
      toByteOffset: FileLayout.headerSaltChecksum, as: UInt32.self)
  }

  private static func saltChecksum(_ header: UnsafeRawBufferPointer) -> UInt32 {
    checksum(
      header.baseAddress! + FileLayout.headerSalt,
      count: FileLayout.headerSaltChecksum - FileLayout.headerSalt)
  }

  private static func seal(in header: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
    header[FileLayout.headerSeal..<FileLayout.headerSaltChecksum]
  }

  /// What says which key a file has, without giving it away.
  private func seal(of header: UnsafeRawBufferPointer) -> ArraySlice<UInt8> {
    let bytes = Array(header[..<FileLayout.headerSeal])
    return DerivedKey.code(of: bytes, key: headerKey).prefix(FileLayout.headerSealSize)
  }

  // MARK: Nodes

  /// For one writer.
  func makeNodeCipher() -> AuthenticatedCipher { AuthenticatedCipher(key: nodeKey) }

  /// The one that decrypts what lies at `offset`.
  func opener(at offset: UInt64) -> NodeOpener {
    openers[Int((offset >> 6) % UInt64(Self.openerCount))]
  }

  // MARK: Slots

  /// Seals the 512 bytes of a slot for the place that it is written to.
  func seal(slot bytes: UnsafeMutableRawBufferPointer, at place: Int) {
    RandomBytes.fill(
      UnsafeMutableRawBufferPointer(
        rebasing: bytes[FileLayout.slotSalt..<FileLayout.slotSalt + FileLayout.slotSaltSize]))
    let (nonce, data) = Self.slotNonce(UnsafeRawBufferPointer(bytes), place)
    let tag = bytes.baseAddress! + FileLayout.slotTag
    nonce.withUnsafeBytes { nonce in
      let nonce = nonce.baseAddress!
      slots.withLock { $0.seal(Self.noText, nonce: nonce, with: data, tag: tag) }
    }
  }

  /// Whether the 512 bytes of a slot were written to that place with the file's key.
  func isAuthentic(slot bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
    let (nonce, data) = Self.slotNonce(bytes, place)
    let tag = bytes.baseAddress! + FileLayout.slotTag
    return nonce.withUnsafeBytes { nonce in
      let nonce = nonce.baseAddress!
      return slots.withLock { $0.open(Self.noText, nonce: nonce, with: data, tag: tag) }
    }
  }

  /// A slot is authenticated and not encrypted.
  private static var noText: UnsafeMutableRawBufferPointer { .init(start: nil, count: 0) }

  /// The nonce, and what the tag covers.
  private static func slotNonce(
    _ bytes: UnsafeRawBufferPointer, _ place: Int
  ) -> (nonce: [UInt8], data: UnsafeRawBufferPointer) {
    var nonce = Array(
      bytes[FileLayout.slotSalt..<FileLayout.slotSalt + FileLayout.slotSaltSize])
    withUnsafeBytes(of: UInt64(place).littleEndian) { nonce.append(contentsOf: $0) }
    let data = bytes[FileLayout.slotVersion..<FileLayout.slotSalt]
    return (nonce, UnsafeRawBufferPointer(rebasing: data))
  }
}

/// Decrypts nodes for readers, one at a time.
final class NodeOpener: Sendable {
  /// What one thread at a time has.
  final class Tools {
    let cipher: AuthenticatedCipher
    /// Grows to what the largest of the usual nodes takes.
    private var memory: SecretBuffer?

    init(key: SecretBytes) { cipher = AuthenticatedCipher(key: key) }

    /// Memory that is used again, but for large nodes, whose memory the caller gives back.
    func withMemory<Result>(
      _ byteCount: Int, _ body: (UnsafeMutableRawPointer) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
      if byteCount > NodeOpener.keptMemoryMax {
        let large = SecretBuffer(byteCount: byteCount)
        defer { withExtendedLifetime(large) {} }
        return try body(large.bytes.baseAddress!)
      }
      if byteCount > memory?.bytes.count ?? 0 {
        memory = SecretBuffer(byteCount: max(byteCount, 1 << 14))
      }
      return try body(memory!.bytes.baseAddress!)
    }
  }

  fileprivate static let keptMemoryMax = 1 << 18
  private let tools: LockedValue<Tools>

  init(key: SecretBytes) { tools = LockedValue(Tools(key: key)) }

  func withTools<Result: Sendable>(
    _ body: (Tools) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try tools.withLock { tools throws(StorageError) in try body(tools) }
  }
}
