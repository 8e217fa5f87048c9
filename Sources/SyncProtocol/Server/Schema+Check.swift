extension Schema {
  /// What is wrong with a change, if anything is. Cells of containers that are not there are
  /// dropped by the merge and so not looked at.
  func problem(
    of change: ObjectChange, in object: ServerObject?, names: Names
  ) -> RefusalReason? {
    guard let type = classes[names[change.id.type]], !type.isEmbedded else { return .notInSchema }
    var kinds: [ContainerID: ContainerKind] = [.root: .object(change.id.type)]
    for container in change.containers {
      for register in container.registers {
        guard let kind = register.value.container else { continue }
        kinds[register.made] = kind
      }
    }
    for container in change.containers {
      let owner = container.id.isDeclared ? container.id.declarer : container.id
      guard case .object(let id) = kinds[owner] ?? object?.containers[owner]?.kind else { continue }
      guard let type = classes[names[id]] else { return .notInSchema }
      if let problem = problem(of: container, in: type, names: names) { return problem }
    }
    return nil
  }

  private func problem(
    of change: ContainerChange, in type: SchemaClass, names: Names
  ) -> RefusalReason? {
    if change.id.isDeclared {
      guard let property = type.properties[names[change.id.property]] else { return .notInSchema }
      let isRight: Bool =
        switch change.collectionKind {
        case .list: property.shape == .list
        case .set: property.shape == .set
        case .map: property.shape == .map
        default: true
        }
      guard isRight else { return .wrongType }
      let areRight = change.registers.allSatisfy { register in
        if case .member(let value) = register.slot { return property.accepts(value) }
        return property.accepts(register.value)
      }
      return areRight ? nil : .wrongType
    }
    for register in change.registers {
      guard case .property(let name) = register.slot else { return .wrongType }
      guard let property = type.properties[names[name]] else { return .notInSchema }
      let isRight: Bool =
        switch property.shape {
        case .single: property.accepts(register.value)
        case .list: register.value == .list
        case .set: register.value == .set
        case .map: register.value == .map
        }
      if !isRight { return .wrongType }
    }
    return nil
  }
}
