/// One state of the server: every batch makes one. Also the position of a client in what the
/// server has to say (its cursor).
public struct ServerVersion: Hashable, Comparable, Sendable {
  /// The number; 0 is before everything.
  public let rawValue: UInt64

  /// Wraps a number.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// Before the first batch.
  public static let zero = ServerVersion(0)

  /// The version after this one.
  public var next: ServerVersion { ServerVersion(rawValue + 1) }

  /// By number.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The value of a primary key.
public enum ObjectKey: Hashable, Sendable {
  /// A key without a value.
  case null
  /// An integer of any width.
  case int(Int64)
  /// A string.
  case string(Text)
  /// An `ObjectId`: its first 8 and its last 4 bytes.
  case objectID(UInt64, UInt32)
  /// A UUID: its first and its last 8 bytes.
  case uuid(UInt64, UInt64)
}

/// Which object: its class and its primary key. Two creations with one key are one object.
public struct ObjectID: Hashable, Sendable {
  /// The class.
  public let type: NameID
  /// The primary key.
  public let key: ObjectKey

  /// An identity from its parts.
  public init(type: NameID, key: ObjectKey) {
    self.type = type
    self.key = key
  }
}

/// How often an object has been created and deleted: odd while it is alive, even while it is not.
/// The larger generation wins, and cells of a smaller one are dropped.
public struct Generation: Hashable, Comparable, Sendable {
  /// The number; 0 is an object that never was.
  public let rawValue: UInt64

  /// Wraps a number.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// An object that never was.
  public static let none = Generation(0)

  /// Whether the object exists.
  public var isAlive: Bool { rawValue % 2 == 1 }

  /// The generation after one more creation or deletion.
  public var next: Generation { Generation(rawValue + 1) }

  /// The generation in which a creation joins what this is: itself if alive, or the next one.
  public var alive: Generation { isAlive ? self : next }

  /// By number.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Names an element of a list for as long as it lives, wherever it is moved.
public struct ElementID: Hashable, Comparable, Sendable {
  /// The client that inserted it.
  public let client: ClientID
  /// Which of the client's elements.
  public let number: UInt64

  /// A name from its parts.
  public init(client: ClientID, number: UInt64) {
    self.client = client
    self.number = number
  }

  /// The bits of a number that are the time of the insertion, up to the year 2109.
  static let timeMask: UInt64 = 1 << 58 - 1

  /// What the newest number becomes when the client's clock is put back: those that are made from
  /// now on are larger, though their times are not.
  static func afterClockPutBack(_ newest: UInt64) -> UInt64 {
    newest >> 58 < 63 ? (newest >> 58 + 1) << 58 : newest
  }

  /// By client, then in the order of insertion.
  public static func < (left: Self, right: Self) -> Bool {
    left.client != right.client ? left.client < right.client : left.number < right.number
  }
}

/// One place of an element: a move makes a new one.
public struct PlaceName: Hashable, Sendable {
  /// Which element.
  public let element: ElementID
  /// When it was put there.
  public let stamp: Stamp

  /// A name from its parts.
  public init(element: ElementID, stamp: Stamp) {
    self.element = element
    self.stamp = stamp
  }
}
