/// A class's table, stable for the life of the file and never reused: its place in the root node.
@frozen
public struct TableKey: RawRepresentable, Hashable, Comparable, Sendable {
  public var rawValue: UInt32

  @inlinable @inline(__always)
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// What a class description holds before its class has been stored.
  public static let unassigned = TableKey(rawValue: .max)

  @inlinable
  public static func < (left: TableKey, right: TableKey) -> Bool { left.rawValue < right.rawValue }
}

/// A column of a table, stable and never reused: its place among the references of a cluster.
///
/// Hidden columns (backlinks) take keys from the same range.
@frozen
public struct ColumnKey: RawRepresentable, Hashable, Comparable, Sendable {
  public var rawValue: UInt32

  @inlinable @inline(__always)
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// What a property description holds before its property has been stored.
  public static let unassigned = ColumnKey(rawValue: .max)

  /// The key as an index among the references of a cluster.
  @inlinable @inline(__always)
  public var slot: Int { Int(rawValue) }

  @inlinable
  public static func < (left: ColumnKey, right: ColumnKey) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// An object within its table: handed out in rising order, never reused.
@frozen
public struct ObjectKey: RawRepresentable, Hashable, Comparable, Sendable {
  public var rawValue: Int64

  @inlinable @inline(__always)
  public init(rawValue: Int64) { self.rawValue = rawValue }

  @inlinable
  public static func < (left: ObjectKey, right: ObjectKey) -> Bool {
    left.rawValue < right.rawValue
  }
}
