/// The write of one cell.
public struct RegisterChange: Hashable, Sendable {
  /// Which cell of its container.
  public var slot: Slot
  /// Which write of the cell.
  public var stamp: CellStamp
  /// What was written.
  public var value: CellValue
  /// The name of the container that the value makes, if that is not the stamp: the server has
  /// raised the stamp above removals of which it keeps no marks.
  public var maker: Stamp?

  /// A write from its parts.
  public init(slot: Slot, stamp: CellStamp, value: CellValue) {
    self.slot = slot
    self.stamp = stamp
    self.value = value
  }

  /// The container that the value makes, if it makes one.
  public var made: ContainerID { ContainerID(madeBy: maker ?? stamp.stamp) }
}

/// Where its author put an element of a list, as of the time when it did.
public struct Authorship: Hashable, Sendable {
  /// The neighbour on the right, or none at the end.
  public var right: PlaceName?
  /// The nearest place on the left that the author had made before and that was not merged yet.
  public var ownLeft: PlaceName?
  /// The like on the right.
  public var ownRight: PlaceName?
  /// What the author had seen of the server.
  public var cursor: ServerVersion
  /// Whether the author made the element, which the server may so not know.
  public var isNew: Bool

  /// From its parts.
  public init(
    right: PlaceName?, ownLeft: PlaceName?, ownRight: PlaceName?, cursor: ServerVersion, isNew: Bool
  ) {
    self.right = right
    self.ownLeft = ownLeft
    self.ownRight = ownRight
    self.cursor = cursor
    self.isNew = isNew
  }
}

/// A place of an element of a list.
public struct Placement: Hashable, Sendable {
  /// Which element, and which of its places.
  public var name: PlaceName
  /// The neighbour on the left, or none at the front.
  public var left: PlaceName?
  /// What else the author says of it. The server says nothing: its order is the order.
  public var authorship: Authorship?

  /// From its parts.
  public init(name: PlaceName, left: PlaceName?, authorship: Authorship? = nil) {
    self.name = name
    self.left = left
    self.authorship = authorship
  }
}

/// What changed in one container of an object.
public struct ContainerChange: Hashable, Sendable {
  /// Which container.
  public var id: ContainerID
  /// Cells that were written.
  public var registers: [RegisterChange] = []
  /// Places of elements: by their authors in the order in which they were made, by the server in
  /// the order of the list.
  public var placements: [Placement] = []
  /// Elements that were removed.
  public var removals: [ElementID] = []

  /// No change of a container.
  public init(id: ContainerID) { self.id = id }

  /// Whether nothing changed.
  public var isEmpty: Bool { registers.isEmpty && placements.isEmpty && removals.isEmpty }

  /// How many cells changed.
  public var cellCount: Int { registers.count + placements.count + removals.count }
}

/// A generation of an object that a client has deleted.
public struct DeletedGeneration: Hashable, Sendable {
  /// Its number.
  public var generation: Generation
  /// Up to where the client had heard of the server when it deleted it: what has come since with
  /// the same number, once the mark of the deletion was forgotten, is another one.
  public var heard: ServerVersion

  /// From its parts.
  public init(_ generation: Generation, heard: ServerVersion) {
    self.generation = generation
    self.heard = heard
  }
}

/// That its author has created or deleted an object, and which generations the author means.
public struct LifeChange: Hashable, Sendable {
  /// When and by whom it was created, if it was: the name of the creation, however often that is
  /// sent. No cell has this stamp.
  public var creation: Stamp?
  /// The newest generation that the author has deleted and knew the number of.
  public var deleted: DeletedGeneration?
  /// Not 0: the author has also deleted what it had created at that time or later, and does not
  /// know the generation of.
  public var deletedSince: UInt64

  /// From its parts.
  public init(creation: Stamp?, deleted: DeletedGeneration? = nil, deletedSince: UInt64 = 0) {
    self.creation = creation
    self.deleted = deleted
    self.deletedSince = deletedSince
  }
}

/// What changed in one object.
public struct ObjectChange: Hashable, Sendable {
  /// Which object.
  public var id: ObjectID
  /// The generation that the cells belong to; of a creation or a deletion the one that the author
  /// takes it for: the server decides.
  public var generation: Generation
  /// Set if the author created or deleted the object; else an object that is not there stays so.
  public var life: LifeChange?
  /// Whether the author gives back what a server lacks that a backup was restored on.
  public var isRecovered = false
  /// Whether that is the whole object, of which the author does not know what the server has: one
  /// that never was is created so, and one that is alive is joined, whatever its generation.
  public var isWhole = false
  /// Containers, each after those that it is in.
  public var containers: [ContainerChange] = []

  /// No change of an object but its generation.
  public init(id: ObjectID, generation: Generation, life: LifeChange? = nil) {
    self.id = id
    self.generation = generation
    self.life = life
  }

  /// How many cells changed, the generation among them.
  public var cellCount: Int { containers.reduce(1) { $0 + $1.cellCount } }

  /// About as many bytes as it takes in a batch, or a slice.
  var byteEstimate: Int {
    var bytes = 32 + id.key.byteEstimate
    for container in containers {
      bytes += 32 + 64 * container.placements.count + 12 * container.removals.count
      for register in container.registers { bytes += 20 + register.byteEstimate }
    }
    return bytes
  }
}

extension RegisterChange {
  fileprivate var byteEstimate: Int { slot.byteEstimate + value.byteEstimate }
}

extension Slot {
  /// About as many bytes as it takes.
  var byteEstimate: Int {
    switch self {
    case .key(let text): text.string.utf8.count
    case .member(let value): value.byteEstimate
    case .property, .item: 4
    }
  }
}

extension CellValue {
  /// About as many bytes as it takes.
  var byteEstimate: Int {
    switch self {
    case .string(let text): text.string.utf8.count + 4
    case .data(let bytes): bytes.count + 4
    case .link(let target): target.key.byteEstimate + 4
    default: 16
    }
  }
}

extension ObjectKey {
  fileprivate var byteEstimate: Int {
    if case .string(let text) = self { text.string.utf8.count + 4 } else { 16 }
  }
}
