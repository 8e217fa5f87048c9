/// The one table of offsets in a data file, below the nodes. docs/FORMAT.md describes it; a test
/// compares the two.
public enum FileLayout {
  /// The header page: written once, when the file is made.
  public static let header = 0
  public static let headerMagic = 0
  public static let headerFormatVersion = 8
  public static let headerFlags = 12
  public static let headerFileIdentifier = 16
  public static let headerChecksum = 32
  public static let headerUsed = 36

  /// "HOLDFAST" as bytes in file order.
  public static let magic: UInt64 = 0x5453_4146_444C_4F48
  public static let formatVersion: UInt32 = 1

  /// Commit slots, one page each, so that neither a torn sector nor a torn page harms both.
  public static let durableSlots = [4096, 8192]
  /// Slots of commits that have not been flushed; believed only within the boot that wrote them.
  public static let volatileSlots = [12288, 12800]
  public static let slotSize = 512

  public static let slotMagic = 0
  public static let slotChecksum = 4
  public static let slotVersion = 8
  public static let slotRoot = 16
  public static let slotLogicalSize = 24
  /// Boot identifier, two UInt64: in volatile slots only.
  public static let slotBoot = 32
  /// UInt32: how many extents follow.
  public static let slotExtentCount = 48
  /// UInt32 flags: bit 1, everything was flushed before the slot was written and no extent proves
  /// it.
  public static let slotFlags = 52
  public static let slotExtents = 56
  /// Each extent: UInt64 offset, UInt64 length, UInt32 checksum, UInt32 zero.
  public static let extentSize = 24
  public static let slotExtentsMax = 19

  public static let slotMagicValue: UInt32 = 0x544F_4C53

  public static let firstNode = 16384
}
