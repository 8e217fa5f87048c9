/// What a container has, as bits; what it has not takes no byte.
private enum ContainerPart {
  static let registers: UInt8 = 1
  static let placements: UInt8 = 2
  static let removals: UInt8 = 4
  static let all: UInt8 = 7
}

/// What the author says of the generation of an object.
private enum Claim {
  /// The author has created it; or deleted it, and there is nothing that this could end.
  static let author: UInt8 = 1
  /// Something of the object is given back.
  static let recovered: UInt8 = 2
  /// All of it is.
  static let whole: UInt8 = 3
  /// The author has deleted it, and created it since if the generation is odd.
  static let authorOfDeletion: UInt8 = 4
}

extension ChangeWriter {
  mutating func change(_ object: ObjectChange) {
    self.object(object.id)
    body.number(object.generation.rawValue)
    if let life = object.life {
      self.life(life)
    } else {
      body.byte(object.isWhole ? Claim.whole : object.isRecovered ? Claim.recovered : 0)
    }
    body.count(object.containers.count)
    for container in object.containers { change(container) }
  }

  /// Whether there is a creation, the generation says.
  private mutating func life(_ life: LifeChange) {
    let hasDeleted = life.deleted != nil || life.deletedSince != 0
    body.byte(hasDeleted ? Claim.authorOfDeletion : Claim.author)
    if let creation = life.creation { stamp(creation) }
    guard hasDeleted else { return }
    body.number(life.deleted?.generation.rawValue ?? 0)
    if let deleted = life.deleted { body.number(deleted.heard.rawValue) }
    body.number(life.deletedSince)
  }

  private mutating func change(_ change: ContainerChange) {
    container(change.id)
    var parts: UInt8 = 0
    if !change.registers.isEmpty { parts |= ContainerPart.registers }
    if !change.placements.isEmpty { parts |= ContainerPart.placements }
    if !change.removals.isEmpty { parts |= ContainerPart.removals }
    body.byte(parts)
    if !change.placements.isEmpty {
      body.count(change.placements.count)
      for placement in change.placements { self.placement(placement) }
    }
    if !change.registers.isEmpty {
      body.count(change.registers.count)
      for register in change.registers {
        slot(register.slot)
        write(register.stamp, maker: register.maker)
        value(register.value)
      }
    }
    if !change.removals.isEmpty {
      body.count(change.removals.count)
      for removal in change.removals { element(removal) }
    }
  }

  /// When a cell was written, and what its container is called if that is another write's name.
  mutating func write(_ stamp: CellStamp, maker: Stamp?) {
    body.byte((stamp.isExplicit ? 1 : 0) | (maker != nil ? 2 : 0))
    self.stamp(stamp.stamp)
    if let maker { self.stamp(maker) }
  }

  private mutating func placement(_ placement: Placement) {
    element(placement.name.element)
    stamp(placement.name.stamp)
    place(placement.left)
    guard let author = placement.authorship else { return }
    place(author.right)
    place(author.ownLeft)
    place(author.ownRight)
    body.number(author.cursor.rawValue)
    body.flag(author.isNew)
  }
}

extension ChangeReader {
  mutating func change(isUpload: Bool) throws(WireError) -> ObjectChange {
    var change = ObjectChange(id: try object(), generation: try generation())
    let claim = try body.byte()
    guard claim <= Claim.authorOfDeletion else { throw .unknownKind(claim) }
    if claim == Claim.author || claim == Claim.authorOfDeletion {
      var life = LifeChange(creation: change.generation.isAlive ? try stamp() : nil)
      if claim == Claim.authorOfDeletion {
        life.deleted = try deletedGeneration()
        life.deletedSince = try body.number()
      }
      change.life = life
    }
    change.isRecovered = claim == Claim.recovered || claim == Claim.whole
    change.isWhole = claim == Claim.whole
    let count = try body.count(of: 2)
    change.containers.reserveCapacity(min(count, 4096))
    for _ in 0..<count { change.containers.append(try containerChange(isUpload: isUpload)) }
    return change
  }

  private mutating func deletedGeneration() throws(WireError) -> DeletedGeneration? {
    let deleted = try generation()
    if deleted == .none { return nil }
    // It was alive.
    guard deleted.isAlive else { throw .numberOutOfRange }
    return DeletedGeneration(deleted, heard: ServerVersion(try body.number()))
  }

  private mutating func containerChange(
    isUpload: Bool
  ) throws(WireError) -> ContainerChange {
    var change = ContainerChange(id: try container())
    let parts = try body.byte()
    guard parts <= ContainerPart.all else { throw .unknownKind(parts) }
    if parts & ContainerPart.placements != 0 {
      let count = try body.count(of: 5)
      change.placements.reserveCapacity(min(count, 4096))
      for _ in 0..<count { change.placements.append(try placement(isUpload: isUpload)) }
    }
    if parts & ContainerPart.registers != 0 {
      let count = try body.count(of: 6)
      change.registers.reserveCapacity(min(count, 4096))
      for _ in 0..<count {
        let slot = try slot()
        let (stamp, maker) = try cellStamp()
        var register = RegisterChange(slot: slot, stamp: stamp, value: try value())
        register.maker = maker
        change.registers.append(register)
      }
    }
    if parts & ContainerPart.removals != 0 {
      let count = try body.count(of: 2)
      change.removals.reserveCapacity(min(count, 4096))
      for _ in 0..<count { change.removals.append(try element()) }
    }
    return change
  }

  mutating func cellStamp() throws(WireError) -> (CellStamp, maker: Stamp?) {
    let flags = try body.byte()
    guard flags < 4 else { throw .unknownKind(flags) }
    let stamp = CellStamp(try stamp(), isExplicit: flags & 1 != 0)
    return (stamp, flags & 2 != 0 ? try self.stamp() : nil)
  }

  private mutating func placement(isUpload: Bool) throws(WireError) -> Placement {
    let name = PlaceName(element: try element(), stamp: try stamp())
    var placement = Placement(name: name, left: try place())
    guard isUpload else { return placement }
    let right = try place()
    let ownLeft = try place()
    let ownRight = try place()
    placement.authorship = Authorship(
      right: right, ownLeft: ownLeft, ownRight: ownRight, cursor: ServerVersion(try body.number()),
      isNew: try body.flag())
    return placement
  }
}
