/// What a container is by the schema.
enum ContainerRole {
  /// An object of a class, embedded or not.
  case object(NameID)
  /// A collection as such a property is, or one among values of any kind.
  case collection(PropertyType)
  /// A collection of a property that no class has.
  case notInSchema
}

/// What the containers are that a change writes into, those that it makes included.
struct ContainerRoles {
  private let object: ServerObject?
  private let schema: Schema
  private let names: Names
  private var roles: [ContainerID: ContainerRole]

  init(of change: ObjectChange, in object: ServerObject?, schema: Schema, names: Names) {
    self.object = object
    self.schema = schema
    self.names = names
    roles = [.root: .object(change.id.type)]
    // Containers come after those that they are in. What is made in one that is not there, because
    // another client has taken it away, is not there either.
    for container in change.containers {
      guard let owner = self[container.id] else { continue }
      for register in container.registers {
        guard let kind = register.value.container else { continue }
        roles[register.made] = role(of: kind, at: register.slot, of: owner)
      }
    }
  }

  /// What a container is; nil: it is not there.
  subscript(id: ContainerID) -> ContainerRole? {
    mutating get {
      if let known = roles[id] { return known }
      let found = id.isDeclared ? declared(id) : stored(id)
      roles[id] = found
      return found
    }
  }

  private mutating func declared(_ id: ContainerID) -> ContainerRole? {
    switch self[id.declarer] {
    case .object(let type): collection(id.property, of: type)
    case .collection: .notInSchema
    case let other: other
    }
  }

  /// A collection that a program has cleared, or assigned, has a name of its own, and is still that
  /// of its property.
  private func stored(_ id: ContainerID) -> ContainerRole? {
    guard let kind = object?.containers[id]?.kind else { return nil }
    if case .object(let type) = kind { return .object(type) }
    guard let (property, type) = object?.property(thatMade: id) else { return .any(kind) }
    return role(of: kind, at: .property(property), of: .object(type))
  }

  private func role(
    of kind: ContainerKind, at slot: Slot, of owner: ContainerRole
  ) -> ContainerRole {
    if case .object(let type) = kind { return .object(type) }
    guard case .object(let type) = owner, case .property(let property) = slot else {
      return .any(kind)
    }
    let role = collection(property, of: type)
    guard case .collection(let declared) = role, declared.shape == .single else { return role }
    return .any(kind)
  }

  private func collection(_ property: NameID, of type: NameID) -> ContainerRole {
    let property = schema.classes[names[type]]?.properties[names[property]]
    return property.map { .collection($0) } ?? .notInSchema
  }
}

extension ContainerRole {
  /// A collection among values of any kind. A set cannot be there, and takes nothing.
  fileprivate static func any(_ kind: ContainerKind) -> ContainerRole {
    .collection(PropertyType(.any, kind == .map ? .map : .list))
  }
}
