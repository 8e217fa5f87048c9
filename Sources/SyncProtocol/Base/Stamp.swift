/// Names a client file: one file on one device. Chosen at random, and owned by one user. Or one of
/// those who write it, one after the other: see `writer`.
public struct ClientID: Hashable, Comparable, Sendable {
  /// The number itself; 0 names no client.
  public let rawValue: UInt64

  /// Wraps a number.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// No client.
  public static let none = ClientID(0)

  /// The order that decides between stamps of one time.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// How many numbers writers of one file have.
  public static let writerCount: UInt64 = 1 << 20
  /// The bits that all writers of a file have alike.
  private static let fileMask: UInt64 = UInt64.max / writerCount

  /// Who writes the file after it has been opened, in stamps and names of elements: the file's own
  /// number, with another one in its upper bits that is drawn whenever a program opens the file.
  /// So a copy of the file, or the file after it has gone back to an earlier state, writes nothing
  /// under a name that something else has, whatever their clocks say.
  public func writer(_ number: UInt64) -> ClientID {
    ClientID(rawValue ^ (number % Self.writerCount) * (Self.fileMask + 1))
  }

  /// Whether both write the same file, or are that file.
  public func isOfSameFile(as other: ClientID) -> Bool {
    (rawValue ^ other.rawValue) & Self.fileMask == 0
  }
}

/// When a write was made, and by which client. No two writes have the same stamp.
public struct Stamp: Hashable, Comparable, Sendable {
  /// Hybrid logical time: 48 bits of milliseconds and a counter of 16 bits.
  public let time: UInt64
  /// Who made the write.
  public let client: ClientID

  /// A stamp from its parts.
  public init(time: UInt64, client: ClientID) {
    self.time = time
    self.client = client
  }

  /// Before all writes; names what exists without having been made.
  public static let zero = Stamp(time: 0, client: .none)

  /// By time, then by client.
  public static func < (left: Self, right: Self) -> Bool {
    left.time != right.time ? left.time < right.time : left.client < right.client
  }
}

/// What decides which of two writes of a cell stays: an explicit one beats a default, then the
/// later one beats the earlier one.
public struct CellStamp: Hashable, Comparable, Sendable {
  /// Whether the program gave the value; false for the default of a new object.
  public let isExplicit: Bool
  /// When, and by which client.
  public let stamp: Stamp

  /// A stamp from its parts.
  public init(_ stamp: Stamp, isExplicit: Bool = true) {
    self.stamp = stamp
    self.isExplicit = isExplicit
  }

  /// Explicit after default, then by stamp.
  public static func < (left: Self, right: Self) -> Bool {
    left.isExplicit != right.isExplicit ? right.isExplicit : left.stamp < right.stamp
  }
}

/// Hybrid logical clock: follows the clock of the machine, and never falls behind what it has made
/// or received.
public struct HybridClock: Sendable, Equatable {
  /// How many bits of a time count the writes within one millisecond.
  public static let counterBits: UInt64 = 16
  /// The times of the first writes of commits are multiples of this, and no others are; so it can
  /// be seen from the writes where one commit ended and the next one began.
  private static let commitStep: UInt64 = 16

  /// The latest time made or received.
  public private(set) var latest: UInt64

  /// A clock that goes on after `latest`.
  public init(latest: UInt64 = 0) { self.latest = latest }

  /// The time of a new write, later than all times before.
  public mutating func next(milliseconds: UInt64) -> UInt64 {
    latest = max(latest, Self.time(milliseconds: milliseconds)) + 1
    if Self.beginsCommit(latest) { latest += 1 }
    return latest
  }

  /// The time of the first write of a commit.
  public mutating func nextCommit(milliseconds: UInt64) -> UInt64 {
    let next = (latest / Self.commitStep + 1) * Self.commitStep
    latest = max(next, Self.time(milliseconds: milliseconds))
    return latest
  }

  /// The time of the last of `count` writes, the first of which has a time that is known.
  public static func last(of count: Int, from first: UInt64) -> UInt64 {
    var clock = HybridClock(latest: first)
    for _ in 1..<max(1, count) { _ = clock.next(milliseconds: 0) }
    return clock.latest
  }

  /// Whether a write of that time is the first one of a commit.
  public static func beginsCommit(_ time: UInt64) -> Bool { time % commitStep == 0 }

  /// Times made from now on are later than `time`.
  public mutating func receive(_ time: UInt64) { latest = max(latest, time) }

  /// The first time of a millisecond.
  public static func time(milliseconds: UInt64) -> UInt64 {
    (milliseconds & (UInt64.max >> counterBits)) << counterBits
  }
}
