import SyncProtocol

/// What a replica holds, in words that mean the same on all of them.
struct Contents: Equatable {
  struct Container: Equatable {
    var values: [String: String] = [:]
    var items: [String] = []

    var isEmpty: Bool { values.isEmpty && items.isEmpty }
  }

  var objects: [String: [String: Container]] = [:]

  /// The first difference, in words.
  func difference(from other: Contents) -> String? {
    for (object, containers) in objects {
      guard let others = other.objects[object] else { return "\(object) is only here" }
      for (container, content) in containers where others[container] != content {
        let there = others[container].map { "\($0)" } ?? "nothing"
        return "\(object) \(container): \(content) here, \(there) there"
      }
      for container in others.keys where containers[container] == nil {
        return "\(object) \(container): only there"
      }
    }
    return other.objects.keys.first { objects[$0] == nil }.map { "\($0) is only there" }
  }
}

/// Says what things are called, by the names of one replica.
struct Describer {
  let names: Names

  func object(_ id: ObjectID) -> String { "\(names[id.type].string)/\(id.key)" }

  func container(_ id: ContainerID) -> String {
    let maker = "\(id.maker.time).\(id.maker.client.rawValue)"
    return id.isDeclared ? "\(maker).\(names[id.property].string)" : maker
  }

  func slot(_ slot: Slot) -> String {
    switch slot {
    case .property(let name): "property \(names[name].string)"
    case .key(let key): "key \(key.string)"
    case .member(let value): "member \(self.value(value))"
    case .item(let element): "item \(element.client.rawValue).\(element.number)"
    }
  }

  func value(_ value: CellValue) -> String {
    switch value {
    case .link(let target): "link \(object(target))"
    case .object(let type): "object \(names[type].string)"
    default: "\(value)"
    }
  }
}

extension Describer {
  /// The objects of a client's program.
  func contents(of storage: MemoryClientStorage) -> Contents {
    var contents = Contents()
    for id in storage.objects {
      guard let state = storage.state(of: id), state.generation.isAlive else { continue }
      var containers: [String: Contents.Container] = [:]
      for (name, values) in storage.values(of: id) ?? [:] {
        var container = Contents.Container()
        for (slot, value) in values.slots {
          container.values[self.slot(slot)] = self.value(value)
        }
        let elements = state.elements(of: name)
        if elements.count != values.items.count { container.values["elements"] = "\(elements)" }
        for (element, value) in zip(elements, values.items) {
          container.items.append("\(self.slot(.item(element))): \(self.value(value))")
        }
        if !container.isEmpty { containers[self.container(name)] = container }
      }
      contents.objects[object(id)] = containers
    }
    return contents
  }

  /// One object of the server.
  func contents(of object: ServerObject, _ id: ObjectID) -> [String: Contents.Container] {
    var containers: [String: Contents.Container] = [:]
    for change in object.snapshot(of: id).containers {
      var container = Contents.Container()
      var items: [ElementID: CellValue] = [:]
      for register in change.registers where register.value != .absent {
        if case .item(let element) = register.slot {
          items[element] = register.value
        } else {
          container.values[slot(register.slot)] = value(register.value)
        }
      }
      for placement in change.placements {
        let element = placement.name.element
        container.items.append("\(slot(.item(element))): \(value(items[element] ?? .absent))")
      }
      if !container.isEmpty { containers[self.container(change.id)] = container }
    }
    return containers
  }
}
