/// One state of the whole file, by its number: a commit makes the next one. A file begins with
/// version 1.
///
/// Costs what the number costs. In shared memory and in files it lies as the number, which may be
/// any there is where those are damaged.
@frozen public struct Version: Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt64

  /// Wraps a number.
  @inlinable @inline(__always)
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// Before the first version; also stands for none.
  @inlinable @inline(__always)
  public static var zero: Version { 0 }

  /// Not before any version.
  @inlinable @inline(__always)
  public static var max: Version { Version(.max) }

  /// The version that a commit on this one makes.
  @inlinable @inline(__always)
  public var next: Version { Version(rawValue + 1) }

  /// The version that this one was committed on.
  @inlinable @inline(__always)
  public var previous: Version { Version(rawValue - 1) }

  /// The version that so many commits on this one lead to.
  @inlinable @inline(__always)
  public func advanced(by commits: UInt64) -> Version { Version(rawValue + commits) }

  /// How many commits lead here from `older`, which is not after this version.
  @inlinable @inline(__always)
  public func distance(from older: Version) -> UInt64 { rawValue - older.rawValue }

  // MARK: Comparing

  // Written out, because what the compiler makes for these is a call from other modules.

  /// Whether it is the same version.
  @inlinable @inline(__always)
  public static func == (left: Version, right: Version) -> Bool {
    left.rawValue == right.rawValue
  }

  /// By number.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  /// By number.
  @inlinable @inline(__always)
  public static func < (left: Version, right: Version) -> Bool { left.rawValue < right.rawValue }
}

extension Version: ExpressibleByIntegerLiteral {
  /// A number that is known beforehand.
  @inlinable @inline(__always)
  public init(integerLiteral number: UInt64) { self.init(number) }
}

extension Version: CustomStringConvertible {
  /// The number.
  @inlinable
  public var description: String { rawValue.description }
}
