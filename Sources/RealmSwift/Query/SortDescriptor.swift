/// One criterion that a collection is sorted by: the value at a key path, in one direction.
public struct SortDescriptor: Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// Names of properties with dots between them; it may cross links to one object.
  public let keyPath: String
  /// Whether small values come first. Nil counts as smallest.
  public let ascending: Bool

  /// Makes a criterion from the name of a property, or a path to one across links.
  public init(keyPath: String, ascending: Bool = true) {
    self.keyPath = keyPath
    self.ascending = ascending
  }

  /// Ascending by the key path that the literal names.
  public init(stringLiteral value: String) {
    self.init(keyPath: value)
  }

  /// The same criterion in the other direction.
  public func reversed() -> SortDescriptor {
    SortDescriptor(keyPath: keyPath, ascending: !ascending)
  }

  /// The key path and the direction, for people to read.
  public var description: String {
    "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
  }
}
