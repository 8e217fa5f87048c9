/// The containers of one object by their names. Those that an embedded object's properties declare
/// are found without a look at all the others, of which there may be a hundred thousand.
struct ContainerTable<Container> {
  private var byID: [ContainerID: Container]
  /// The properties that declare a container, or did. Invariant: the property of each declared
  /// container in `byID` is among them.
  private var declaring: Set<NameID>

  init(_ containers: [ContainerID: Container] = [:]) {
    byID = containers
    declaring = Set(containers.keys.lazy.filter(\.isDeclared).map(\.property))
  }

  subscript(id: ContainerID) -> Container? {
    get { byID[id] }
    set {
      if id.isDeclared, newValue != nil { declaring.insert(id.property) }
      byID[id] = newValue
    }
    // For changes within a container, which stays.
    _modify { yield &byID[id] }
  }

  var keys: Dictionary<ContainerID, Container>.Keys { byID.keys }
  var values: Dictionary<ContainerID, Container>.Values { byID.values }
  var count: Int { byID.count }
  var isEmpty: Bool { byID.isEmpty }

  mutating func removeValue(forKey id: ContainerID) -> Container? { byID.removeValue(forKey: id) }

  func mapValues<Value>(_ transform: (Container) -> Value) -> [ContainerID: Value] {
    byID.mapValues(transform)
  }

  /// The containers that properties of an object declare.
  func declared(in object: ContainerID) -> [ContainerID] {
    declaring.compactMap { property in
      let id = ContainerID(declaredBy: property, in: object)
      return byID[id] == nil ? nil : id
    }
  }
}

extension ContainerTable: Sequence {
  func makeIterator() -> Dictionary<ContainerID, Container>.Iterator { byID.makeIterator() }
}

extension ContainerTable: Sendable where Container: Sendable {}

extension ContainerTable: Equatable where Container: Equatable {
  /// Properties that no longer declare anything make no difference.
  static func == (left: Self, right: Self) -> Bool { left.byID == right.byID }
}
