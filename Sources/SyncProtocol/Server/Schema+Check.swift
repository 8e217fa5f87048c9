extension Schema {
  /// What is wrong with a change, if anything is. Cells of containers that are not there are
  /// dropped by the merge and so not looked at.
  ///
  /// - Parameter isSimplest: as `ServerStorage` says it.
  func problem(
    of change: ObjectChange, in object: ServerObject?, names: Names,
    isSimplest: (CellValue, PropertyType) -> Bool
  ) -> RefusalReason? {
    guard let type = classes[names[change.id.type]], !type.isEmbedded else { return .notInSchema }
    var roles = ContainerRoles(of: change, in: object, schema: self, names: names)
    for container in change.containers {
      switch roles[container.id] {
      case .object(let id):
        guard let type = classes[names[id]] else { return .notInSchema }
        if let problem = problem(of: container, in: type, names: names) { return problem }
      case .collection(let property):
        if !accepts(container, as: property, names, isSimplest) { return .wrongType }
      case .notInSchema: return .notInSchema
      case nil: continue
      }
    }
    return nil
  }

  /// Whether a collection can be changed so.
  private func accepts(
    _ change: ContainerChange, as property: PropertyType, _ names: Names,
    _ isSimplest: (CellValue, PropertyType) -> Bool
  ) -> Bool {
    if property.shape != .list, !change.placements.isEmpty || !change.removals.isEmpty {
      return false
    }
    return change.registers.allSatisfy { register in
      switch (register.slot, property.shape) {
      case (.item, .list), (.key, .map): accepts(register.value, as: property, names)
      case (.member(let member), .set):
        accepts(member, as: property, names) && isSimplest(member, property)
      default: false
      }
    }
  }

  /// Whether a property can have a value, which leads to an object of its class if to any.
  private func accepts(_ value: CellValue, as property: PropertyType, _ names: Names) -> Bool {
    guard property.accepts(value) else { return false }
    let target: Text
    switch value {
    case .link(let object): target = names[object.type]
    case .object(let type): target = names[type]
    default: return true
    }
    if property.value == .any { return classes[target]?.isEmbedded != true }
    return property.target.string.isEmpty || property.target == target
  }

  private func problem(
    of change: ContainerChange, in type: SchemaClass, names: Names
  ) -> RefusalReason? {
    for register in change.registers {
      guard case .property(let name) = register.slot else { return .wrongType }
      guard let property = type.properties[names[name]] else { return .notInSchema }
      let isRight: Bool =
        switch property.shape {
        case .single: accepts(register.value, as: property, names)
        case .list: register.value == .list
        case .set: register.value == .set
        case .map: register.value == .map
        }
      if !isRight { return .wrongType }
    }
    return nil
  }
}
