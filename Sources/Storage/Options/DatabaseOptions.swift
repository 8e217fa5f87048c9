/// When a commit counts as done, and what a power loss may take.
public enum Durability: UInt8, Sendable, Hashable, CaseIterable {
  /// As `full`, with a flush between the nodes and the slot as well: nothing rests on checksums.
  case strict
  /// The default: a commit that has returned survives power loss. One flush a commit.
  case full
  /// Visible at once, durable a little later, several commits sharing a flush;
  /// `Database.whenDurable` tells when.
  case grouped
  /// Visible at once, flushed in the background; a power loss gives an older consistent version. A
  /// crash of the process loses nothing.
  case relaxed
  /// Never flushed; the file goes with the last process that has it open.
  case inMemory
}

/// How a database is opened.
public struct DatabaseOptions: Sendable {
  public var durability: Durability = .full
  /// How long a `relaxed` commit may wait for its flush, milliseconds.
  public var relaxedFlushDelayMilliseconds = 500
  /// What the file is encrypted with, or nil. A new file is made so; an existing one is as it is.
  public var encryptionKey: EncryptionKey?
  public var readOnly = false
  /// Only this process may have the file open; then it may lie on a network file system.
  public var exclusive = false
  /// Fails instead of making the file.
  public var mustExist = false
  /// More pinned versions than this make a commit fail with `.tooManyVersions`; 0 is no limit.
  public var activeVersionsMax: UInt64 = 0
  /// Readers that have kept an old version for longer than this, in any process, are reported
  /// (`whenReaderIsSlow`). Milliseconds, as all times here.
  public var slowReaderAgeMilliseconds: Int?
  /// So are those that alone keep more bytes than this from being used again.
  public var slowReaderRetainedBytes: UInt64?
  /// Hears of a slow reader, once, on a background thread of a process that writes.
  public var whenReaderIsSlow: (@Sendable (SlowReader) -> Void)?
  /// Readers that have kept an old version for longer than this, in any process, are ended: their
  /// snapshots say so (`Snapshot.isExpired`) and refuse further use with `.readerTooOld`. The space
  /// is used again when the reader has released its snapshot, never before; a process that does not
  /// respond keeps it.
  public var readerAgeMaxMilliseconds: Int?
  /// Merges the history of two adjacent commits; without it entries stay apart.
  public var mergeHistory: HistoryMerge?
  /// Give space back and compact in the background while the file is open.
  public var compactsInBackground = true
  /// Address space that a mapping reserves at least, in bytes. A file that outgrows its mapping
  /// gets one four times its size.
  public var mappingReservation: UInt64 = 64 << 20
  /// For the list of pins: who reads.
  public var label = ""

  public init() {}
}
