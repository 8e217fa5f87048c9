/// What an object holds, for storage that keeps it in tables as well.
extension ServerObject {
  /// The kind of a container; nil if it is not there.
  public func kind(of container: ContainerID) -> ContainerKind? { containers[container]?.kind }

  /// The value of a cell, but for keys and members that were removed.
  public func value(_ slot: Slot, of container: ContainerID) -> CellValue? {
    guard let value = containers[container]?.registers[slot]?.value, value != .absent else {
      return nil
    }
    return value
  }

  /// The version that a cell came in; zero if it is not there.
  public func version(_ slot: Slot, of container: ContainerID) -> ServerVersion {
    containers[container]?.registers[slot]?.version ?? .zero
  }

  /// The version of the newest cell of a container; zero if it is not there.
  public func version(of container: ContainerID) -> ServerVersion {
    containers[container]?.version ?? .zero
  }

  /// The version of the newest cell of a container and of all that is in it.
  public func newestVersion(within container: ContainerID) -> ServerVersion {
    var newest = ServerVersion.zero
    var open = [container]
    // Not by recursion: clients may nest deeper than a stack is.
    while let id = open.popLast() {
      guard let found = containers[id] else { continue }
      newest = max(newest, found.version)
      for register in found.registers.values where register.value.container != nil {
        open.append(register.made)
      }
      guard case .object = found.kind else { continue }
      open += containers.declared(in: id)
    }
    return newest
  }

  /// The container that the value of a cell made.
  public func container(madeBy slot: Slot, of container: ContainerID) -> ContainerID? {
    guard let register = containers[container]?.registers[slot], register.value.container != nil
    else { return nil }
    return register.made
  }

  /// The property of which the value made a container, and the class of the object that has it; nil
  /// if another container has it, in a list or under a key.
  func property(thatMade id: ContainerID) -> (property: NameID, type: NameID)? {
    // Mostly it is one of the object itself, which may have very many embedded ones.
    if let own = containers[.root]?.property(thatMade: id) { return own }
    for container in containers.values {
      if let found = container.property(thatMade: id) { return found }
    }
    return nil
  }

  /// The keys of a map or the members of a set that are there, in no order.
  public func slots(of container: ContainerID) -> [Slot] {
    (containers[container]?.registers ?? [:]).compactMap { $1.value == .absent ? nil : $0 }
  }

  /// The elements of a list that are there, in its order.
  public func elements(of container: ContainerID) -> [ElementID] {
    containers[container]?.list?.livingElements ?? []
  }

  /// Whether it has marks of what was removed, which trimming may take away.
  public var hasMarks: Bool {
    containers.values.contains { container in
      container.list?.hasMarks == true
        || container.registers.values.contains { $0.value == .absent }
    }
  }
}

extension ServerContainer {
  /// The same, if it is this container that has the property.
  fileprivate func property(thatMade id: ContainerID) -> (property: NameID, type: NameID)? {
    guard case .object(let type) = kind else { return nil }
    for (slot, register) in registers where register.value.container != nil && register.made == id {
      if case .property(let property) = slot { return (property, type) }
    }
    return nil
  }
}
