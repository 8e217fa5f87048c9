/// The one table of offsets in a node. docs/FORMAT.md describes it; a test compares the two.
///
/// Every node, whatever it means to the layers above, is
///
///     header (32 bytes) | references (8 bytes each) | data
///
/// so that commit, verification and compaction can walk any tree without knowing its kinds.
public enum NodeLayout {
  /// UInt32: CRC32C of all bytes of the node after this field.
  public static let checksum = 0
  /// UInt8: what the node is; the object store gives the meaning (`NodeKind`).
  public static let kind = 4
  /// UInt8: bits per element where the kind has elements of equal width.
  public static let width = 5
  /// UInt16: kind-specific flags.
  public static let flags = 6
  /// UInt32: bytes of the whole node, a multiple of 8.
  public static let byteSize = 8
  /// UInt32: elements.
  public static let count = 12
  /// UInt64: the version whose commit wrote the node.
  public static let createdIn = 16
  /// UInt32: references that follow the header.
  public static let referenceCount = 24
  /// UInt32: kind-specific.
  public static let auxiliary = 28
  public static let headerSize = 32

  public static let alignment = 8
  /// A node in a file is at least this long, zeros behind what it uses: so at most one starts in
  /// every 64 bytes.
  public static let byteSizeMin = 64
  /// Larger values are cut into chunks, each a node.
  public static let byteSizeMax = 1 << 30
}

/// The one table of offsets in a node of an encrypted file. docs/FORMAT.md describes it; a test
/// compares the two.
///
///     tag | version | size | salt | kind to auxiliary, references and data, encrypted
///
/// The version lies where a plain node has it: whether there is another node now than was read
/// before is asked of both alike. The checksum of the plain node, which its parent knows, is
/// nowhere.
public enum SealedNodeLayout {
  /// 16 bytes, of AES-256-GCM.
  public static let tag = 0
  /// UInt64: the version whose commit wrote the node.
  public static let createdIn = 16
  /// UInt32: of the node, as if it were not encrypted; then a UInt32 of zero.
  public static let byteSize = 24
  /// 16 random bytes of the commit.
  public static let salt = 32
  static let saltSize = 16
  /// UInt8 kind, UInt8 width, UInt16 flags, UInt32 count, UInt32 referenceCount, UInt32 auxiliary,
  /// the references, the data.
  public static let text = 48

  /// Bytes by which a node is longer than one that is not encrypted.
  @usableFromInline static let extraSize = 32
}

/// What a node is. Raw values are part of the format.
@frozen
public struct NodeKind: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt8
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  // 1...31 belong to the storage layer, 32... to the object store.
  public static let snapshot = NodeKind(rawValue: 1)
  public static let freeSpaceIndex = NodeKind(rawValue: 2)
  public static let freeSpaceRegion = NodeKind(rawValue: 3)
  public static let freeSpaceLog = NodeKind(rawValue: 4)
  public static let regionMap = NodeKind(rawValue: 5)
  public static let historyIndex = NodeKind(rawValue: 6)
  public static let historyEntry = NodeKind(rawValue: 7)
  public static let regionGroup = NodeKind(rawValue: 8)
}
