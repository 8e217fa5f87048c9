/// What a peer may send. Decoding fails beyond these before it allocates anything.
public enum Limits {
  /// The largest frame, in bytes.
  public static let frameBytes = 1 << 20
  /// The largest batch of uploads over all its frames, in bytes.
  public static let batchBytes = 64 << 20
  /// As much a client puts into one batch, more or less, if there is a commit that it can end with.
  public static let wantedBatchBytes = 512 << 10
  /// As much it puts into one batch if there is none; one object may take it beyond that.
  public static let fullBatchBytes = 40 << 20
  /// As much a client sends of one object, more or less; with that it is alone in its batch.
  public static let changeBytes = 56 << 20
  /// The largest object, in bytes, more or less: it has to fit into a batch, with what else is in
  /// that, and into a slice.
  public static let objectBytes = 24 << 20
  /// The largest slice of a download over all its frames, in bytes.
  public static let sliceBytes = 256 << 20
  /// The longest string or data value, in bytes: as long as a batch, for a server has to read what
  /// makes an object too large, to refuse it by name.
  public static let valueBytes = batchBytes
  /// The longest primary key, in bytes.
  public static let keyBytes = 16 << 20
  /// The longest name of a class or a property, in bytes.
  public static let nameBytes = 256
  /// The names that one changeset or schema uses.
  public static let names = 65_536
  /// The longest access token, in bytes.
  public static let tokenBytes = 16 << 10
  /// The longest query, in bytes.
  public static let queryBytes = 16 << 10
  /// The subscriptions of one client file.
  public static let subscriptions = 1_000
  /// The batches that a client says it knows of, and the creations of one object by one client that
  /// are known to the server and not yet to the client.
  public static let knownBatches = 64
  /// The objects that a client file has changed or been refused without hearing of them, and its
  /// creations of which it has not confirmed to know.
  public static let unansweredObjects = 1_000_000
  /// The longest text of an error, in bytes.
  public static let messageBytes = 1 << 10
  /// The classes of a schema.
  public static let classes = 4_096
  /// The properties of all classes together.
  public static let allProperties = 16_384
  /// How many generations an object may go on by in one batch.
  public static let generationsAtOnce: UInt64 = 1_000_000
  /// The properties of a class.
  public static let properties = 4_096
  /// How far ahead of the server's clock a stamp may be, in milliseconds.
  public static let clockAheadMilliseconds: UInt64 = 60_000
  /// The latest time that a stamp can have, so that a clock cannot overflow.
  public static let latestTime = UInt64.max >> 1
  /// The largest generation, so that it cannot overflow.
  public static let generation: UInt64 = 1 << 60
  /// The cells up to which what a client missed comes in one transaction.
  public static let cellsOfOneTransaction = 100_000
  /// The cells of a slice beyond that, unless one object has more.
  public static let cellsOfSlice = 2_000
  /// The bytes up to which what a client missed comes in one transaction, more or less.
  public static let bytesOfOneTransaction = 32 << 20
  /// The bytes of a slice beyond that, unless one object has more.
  public static let bytesOfSlice = 4 << 20
}
