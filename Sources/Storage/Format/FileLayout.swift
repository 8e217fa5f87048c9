/// The one table of offsets in a data file, below the nodes. docs/FORMAT.md describes it; a test
/// compares the two.
public enum FileLayout {
  /// The header page: written once, when the file is made. That of an encrypted file goes on behind
  /// `headerUsed`.
  public static let header = 0
  public static let headerMagic = 0
  public static let headerFormatVersion = 8
  public static let headerFlags = 12
  public static let headerFileIdentifier = 16
  public static let headerChecksum = 32
  public static let headerUsed = 36
  /// 32 random bytes that the file's keys are derived with.
  public static let headerSalt = 40
  static let headerSaltSize = 32
  /// 16 bytes that only the file's key gives.
  public static let headerSeal = 72
  static let headerSealSize = 16
  /// UInt32: checksum of the two.
  public static let headerSaltChecksum = 88
  static let headerUsedEncrypted = 92

  /// "HOLDFAST" as bytes in file order.
  public static let magic: UInt64 = 0x5453_4146_444C_4F48
  /// Formats there have been: 1, free space as one log with a base; 2, free space by regions; 3, as
  /// 2, encrypted.
  public static let formatVersion: UInt32 = 2
  public static let encryptedFormatVersion: UInt32 = 3

  /// Commit slots, one page each, so that neither a torn sector nor a torn page harms both.
  public static let durableSlots = [4096, 8192]
  /// Slots of commits that have not been flushed; believed only within the boot that wrote them.
  public static let volatileSlots = [12288, 12800]
  /// Says that the file was closed when everything had been flushed.
  public static let closingMark = 13312
  public static let slotSize = 512

  public static let slotMagic = 0
  public static let slotChecksum = 4
  public static let slotVersion = 8
  public static let slotRoot = 16
  public static let slotLogicalSize = 24
  /// Boot identifier, two UInt64: the boot that wrote the slot.
  public static let slotBoot = 32
  /// UInt32: how many extents follow.
  public static let slotExtentCount = 48
  /// UInt32: zero.
  public static let slotFlags = 52
  public static let slotExtents = 56
  /// Each extent: UInt64 offset, UInt64 length, UInt32 checksum, UInt32 zero.
  public static let extentSize = 24
  public static let slotExtentsMax = 19
  /// In an encrypted file, whose slots end with 16 random bytes, a tag of 16 bytes, and 16 of zero.
  public static let slotExtentsMaxEncrypted = 17
  public static let slotSalt = 464
  static let slotSaltSize = 16
  public static let slotTag = 480
  /// A slot lists the extents of its commit, to prove that they arrived, up to this many bytes; so
  /// opening a file never reads more than this to check the last commit.
  public static let provenBytesMax: UInt64 = 1 << 20

  public static let slotMagicValue: UInt32 = 0x544F_4C53

  public static let markMagic = 0
  public static let markChecksum = 4
  /// The version whose durable slot is known to be on disk with all that it names.
  public static let markVersion = 8
  /// UInt32: the checksum of that slot.
  public static let markSlotChecksum = 16
  public static let markUsed = 20
  /// "DONE" as bytes in file order.
  public static let markMagicValue: UInt32 = 0x454E_4F44

  public static let firstNode = 16384
  /// What a new file has behind its content, for the first version's own nodes and for free space.
  static let initialSpace: UInt64 = 16384
}
