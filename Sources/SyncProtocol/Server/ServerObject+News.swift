extension ServerObject {
  /// The cells that came after a version and that a client does not have from itself.
  func change(of id: ObjectID, after version: ServerVersion, for client: ClientID) -> ObjectChange {
    var change = ObjectChange(id: id, generation: generation)
    let isNewborn = generationVersion > version
    for (name, container) in containers where container.version > version {
      var news = ContainerChange(id: name)
      for (slot, register) in container.registers {
        guard register.version > version, isNewborn || register.author != client else { continue }
        if case .item = slot { continue }
        news.registers.append(register.change(of: slot))
      }
      if let list = container.list {
        let changed = list.changed(after: version)
        news.placements = list.placements(of: changed, after: version)
        for element in changed.sorted() {
          if !list.isLiving(element) {
            news.removals.append(element)
          } else if let register = container.registers[.item(element)] {
            news.registers.append(register.change(of: .item(element)))
          }
        }
      }
      if !news.isEmpty { change.containers.append(news) }
    }
    change.containers.sort { $0.id < $1.id }
    return change
  }

  /// All cells, the marks of removed members and keys among them: a client may have written them
  /// before.
  package func snapshot(of id: ObjectID) -> ObjectChange {
    var change = ObjectChange(id: id, generation: generation)
    for (name, container) in containers {
      var news = ContainerChange(id: name)
      news.registers = container.registers.map { $0.value.change(of: $0.key) }
      if let list = container.list { news.placements = list.livingPlacements }
      if !news.isEmpty { change.containers.append(news) }
    }
    change.containers.sort { $0.id < $1.id }
    return change
  }
}
