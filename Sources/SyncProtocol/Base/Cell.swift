/// The content of a cell.
public enum CellValue: Hashable, Sendable {
  /// A map key or a set member that was removed.
  case absent
  /// nil.
  case null
  /// A truth value; a set member that is there has `true`.
  case bool(Bool)
  /// An integer of any width.
  case int(Int64)
  /// The bits of a `Float`.
  case float(UInt32)
  /// The bits of a `Double`.
  case double(UInt64)
  /// A string, which changes as a whole.
  case string(Text)
  /// Bytes, which change as a whole.
  case data([UInt8])
  /// Seconds since 1970 and nanoseconds.
  case date(Int64, UInt32)
  /// The high and the low half of a `Decimal128`.
  case decimal(UInt64, UInt64)
  /// An `ObjectId`: its first 8 and its last 4 bytes.
  case objectID(UInt64, UInt32)
  /// A UUID: its first and its last 8 bytes.
  case uuid(UInt64, UInt64)
  /// A link, which reads as nil while there is no such object.
  case link(ObjectID)
  /// A new embedded object of a class. Its container is named by the stamp of this cell.
  case object(NameID)
  /// A new empty list.
  case list
  /// A new empty set.
  case set
  /// A new empty map.
  case map

  /// The kind of container that the value makes, if it does.
  public var container: ContainerKind? {
    switch self {
    case .object(let type): .object(type)
    case .list: .list
    case .set: .set
    case .map: .map
    default: nil
    }
  }
}

/// What a container holds.
public enum ContainerKind: Hashable, Sendable {
  /// Properties, of the object itself or of an embedded one of the class.
  case object(NameID)
  /// Elements in an order.
  case list
  /// Members.
  case set
  /// Values by key.
  case map
}

/// Names a container within an object.
///
/// The object itself is `root`. A collection that a class declares exists without having been made:
/// it is named by the container that declares it, and the property. Everything else is named by the
/// stamp of the write that made it; so replacing and clearing are writes of a cell like any other.
public struct ContainerID: Hashable, Comparable, Sendable {
  /// The write that made the container, or that made the one which declares it.
  public let maker: Stamp
  /// The property that declares the container, or none.
  public let property: NameID

  /// The container that the write of a cell made.
  public init(madeBy maker: Stamp) {
    self.maker = maker
    property = .none
  }

  /// The collection that a property of an object declares.
  public init(declaredBy property: NameID, in object: ContainerID) {
    maker = object.maker
    self.property = property
  }

  /// The properties of the object itself.
  public static let root = ContainerID(madeBy: .zero)

  /// Whether a property declares it.
  public var isDeclared: Bool { property != .none }

  /// The container that declares this one.
  public var declarer: ContainerID { ContainerID(madeBy: maker) }

  /// An order in which containers come after those that they are in.
  public static func < (left: Self, right: Self) -> Bool {
    if left.maker != right.maker { return left.maker < right.maker }
    if left.isDeclared != right.isDeclared { return right.isDeclared }
    return left.property < right.property
  }
}

/// Which cell of a container.
public enum Slot: Hashable, Sendable {
  /// A property of an object.
  case property(NameID)
  /// A key of a map.
  case key(Text)
  /// A member of a set: there or not.
  case member(CellValue)
  /// The value of an element of a list.
  case item(ElementID)

  /// Whether a container of this kind has such cells.
  public func fits(_ kind: ContainerKind) -> Bool {
    switch (self, kind) {
    case (.property, .object), (.key, .map), (.member, .set), (.item, .list): true
    default: false
    }
  }
}
