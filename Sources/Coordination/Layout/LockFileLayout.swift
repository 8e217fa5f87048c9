/// The one table of offsets in a lock-file, and of the bytes that are locked in it and in the data
/// file. docs/FORMAT.md describes it; a test compares the two. All numbers are 64-bit
/// little-endian unless said otherwise. Nothing here is a pointer, a size of the platform's, or an
/// object of a threading library.
public enum LockFileLayout {
  /// This layout, and the oldest one whose programs may share a lock-file with it.
  public static let layoutVersion: UInt32 = 2
  public static let minimumLayout: UInt32 = 2

  // MARK: The header: written by a process that has the file exclusively; constant within a
  // session.

  public static let magic = 0
  /// UInt32. Magic and these two stay where they are in every layout there will ever be.
  public static let headerLayoutVersion = 8
  /// UInt32.
  public static let headerMinimumLayout = 12
  /// 16 bytes.
  public static let headerBoot = 16
  /// Device and inode of the data file, 16 bytes.
  public static let headerFile = 32
  /// Counts the sessions that were begun on this lock-file, from a random number.
  public static let headerGeneration = 48
  /// UInt32: CRC32C of the bytes before it.
  public static let headerChecksum = 56
  public static let headerUsed = 60

  /// "HFLOCK01" as bytes in file order.
  public static let magicValue: UInt64 = 0x3130_4B43_4F4C_4648

  // MARK: State of the session: each word on a cache line of its own.

  public static let newestVersion = 128
  public static let durableVersion = 192
  /// UInt32: who writes (`WriterWord`); processes sleep on this word.
  public static let writerRole = 320
  /// How many pin slots there are.
  public static let pinCapacity = 512
  /// How many pin slots have ever been used in this session.
  public static let pinsUsed = 576
  /// How many participant numbers have ever been used in this session.
  public static let participantsUsed = 640
  /// Who writes, once more: participant + 1, 0 between transactions.
  public static let writerHolder = 704
  /// The newest version whose nodes are all known to be on disk, and those of the versions before
  /// it; at least `durableVersion`, which a durable slot names as well.
  public static let flushedVersion = 768
  /// Not 0 once a flush has failed in this session.
  public static let flushFailure = 832
  /// The version of a durable slot that has been written and not yet been flushed; 0: none.
  public static let pendingSlot = 896

  // MARK: The newest versions: entry `version % ringCount`.

  public static let ring = 1024
  public static let ringCount = 16
  public static let ringEntrySize = 64
  public static let ringVersion = 0
  public static let ringRoot = 8
  public static let ringLogicalSize = 16
  /// A mix of the three before it: `PublishedVersion.check`.
  public static let ringCheck = 24

  // MARK: Participants: only for show, but for two words.

  public static let participants = 4096
  public static let participantsMax = 4096
  public static let participantSize = 64
  public static let participantProcess = 0
  /// Nanoseconds of the monotonic clock.
  public static let participantSince = 8
  /// UTF-8, zeros behind it.
  public static let participantName = 16
  public static let participantNameSize = 32
  /// UInt32: 1 while the participant sleeps until something is published; it sleeps on this word.
  public static let participantAsleep = 48
  /// 1 while the participant has the writer role or tries to take it.
  public static let participantWriting = 56

  // MARK: Pins

  public static let pins = participants + participantsMax * participantSize
  public static let pinsInitially = 256
  public static let pinsMax = 1 << 18
  public static let pinSize = 64
  /// The version in the upper 48 bits, the participant in the lower 16; 0 is a free slot.
  public static let pinWord = 0
  public static let pinParticipantBits: UInt64 = 16
  public static let pinRoot = 8
  public static let pinLogicalSize = 16
  /// Nanoseconds of the monotonic clock, a few milliseconds old.
  public static let pinSince = 24
  /// UTF-8, zeros behind it.
  public static let pinLabel = 32
  public static let pinLabelSize = 24
  /// The slot's word once more when a writer wants the pin to be given back.
  public static let pinExpired = 56

  /// How much a process maps, at any size of the file.
  public static let mappedSize = pins + pinsMax * pinSize

  public static let versionMax: UInt64 = (1 << 48) - 1

  // MARK: Bytes locked in the lock-file

  public static let lockFileSessionByte: UInt64 = 0
  public static let growthByte: UInt64 = 1
  /// Participant i holds byte `firstParticipantByte + i` as long as it lives.
  public static let firstParticipantByte: UInt64 = 4096

  // MARK: Bytes locked in the data file: far beyond anything that is stored.

  public static let openingByte: UInt64 = 1 << 62
  public static let sessionByte: UInt64 = 1 << 62 + 1
  public static let privateReaderByte: UInt64 = 1 << 62 + 2
  public static let agentByte: UInt64 = 1 << 62 + 5
}
