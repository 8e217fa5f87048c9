/// The name of a class or of a property, as a small number of one replica. Frames carry the names
/// themselves, so the numbers of two replicas never meet.
public struct NameID: Hashable, Comparable, Sendable {
  /// The place in the table of names.
  public let rawValue: UInt32

  /// Wraps a number.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// No name.
  public static let none = NameID(.max)

  /// By number, which is the order of first use.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The names that a replica knows. They are added and never change, so a number stays good.
public struct Names: Sendable, Equatable {
  /// The names by number.
  public private(set) var texts: [Text] = []
  private var numbers: [Text: NameID] = [:]

  /// A table of these names, in their order.
  public init(_ texts: [Text] = []) {
    for text in texts { _ = add(text) }
  }

  /// The number of a name, if it is known.
  public func find(_ text: Text) -> NameID? { numbers[text] }

  /// The number of a name, which is added if it is new.
  public mutating func add(_ text: Text) -> NameID {
    if let known = numbers[text] { return known }
    let new = NameID(UInt32(texts.count))
    texts.append(text)
    numbers[text] = new
    return new
  }

  /// The name behind a number.
  public subscript(_ id: NameID) -> Text { texts[Int(id.rawValue)] }
}
