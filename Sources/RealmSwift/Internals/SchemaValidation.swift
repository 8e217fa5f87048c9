/// What is wrong with the classes of a configuration, in the words that users of Apple's SDK know.
struct SchemaValidation {
  private let byName: [String: ClassInfo]
  private var faults: [String] = []

  private let isSynced: Bool

  /// - Parameters:
  ///   - isListed: whether the configuration names the classes.
  ///   - isSynced: whether the realm is synchronised.
  init(_ classes: [ClassInfo], _ byName: [String: ClassInfo], isListed: Bool, isSynced: Bool) {
    self.byName = byName
    self.isSynced = isSynced
    for info in classes {
      check(info)
      for property in info.properties { check(property, of: info) }
    }
    if isListed { checkEmbeddedAreReachable(classes) }
  }

  /// Nil if nothing is wrong.
  var message: String? {
    if faults.isEmpty { return nil }
    return "Schema validation failed due to the following errors:"
      + faults.map { "\n- \($0)" }.joined()
  }

  private mutating func check(_ info: ClassInfo) {
    if info.isAsymmetric, !isSynced {
      faults.append("Asymmetric table '\(info.name)' not allowed in a local Realm")
    }
    if info.isEmbedded, info.primaryKey != nil {
      faults.append("Embedded object type '\(info.name)' cannot have a primary key.")
    }
  }

  private mutating func check(_ property: PropertyInfo, of info: ClassInfo) {
    guard let target = property.description.target else { return }
    let name = "\(info.name).\(property.name)"
    guard let known = byName[target.className()], known.type == target else {
      faults.append(
        "Property '\(name)' of type '\(property.linkTypeText)' has unknown object type "
          + "'\(target.className())'")
      return
    }
    if property.description.collection == .set, known.isEmbedded {
      faults.append(
        "Set property '\(name)' cannot contain embedded object type '\(known.name)'. Set "
          + "semantics are not applicable to embedded objects.")
    }
    if let origin = property.originProperty { check(origin, known, declaredBy: name, of: info) }
  }

  private mutating func check(
    _ origin: String, _ linking: ClassInfo, declaredBy name: String, of info: ClassInfo
  ) {
    let fault: String
    switch linking.property(named: origin) {
    case nil: fault = "does not exist"
    case let link? where link.description.type != .object: fault = "is not a link"
    case let link? where link.description.target != info.type:
      fault = "links to type '\(link.description.target?.className() ?? "")'"
    default: return
    }
    faults.append(
      "Property '\(linking.name).\(origin)' declared as origin of linking objects property "
        + "'\(name)' \(fault)")
  }

  /// A listed embedded class that nothing leads to was listed by mistake.
  private mutating func checkEmbeddedAreReachable(_ classes: [ClassInfo]) {
    var reached = Set(classes.filter { !$0.isEmbedded }.map(\.name))
    var pending = Array(reached)
    while let name = pending.popLast() {
      for property in byName[name]?.properties ?? [] where property.description.type == .object {
        let target = property.description.target?.className() ?? ""
        if byName[target]?.isEmbedded == true, reached.insert(target).inserted {
          pending.append(target)
        }
      }
    }
    for info in classes where !reached.contains(info.name) {
      faults.append(
        "Embedded object '\(info.name)' is unreachable by any link path from top level objects.")
    }
  }
}

extension PropertyInfo {
  fileprivate var linkTypeText: String {
    if description.type == .linkingObjects { return "linking objects" }
    switch description.collection {
    case .none: return "object"
    case .list: return "array"
    case .set: return "set"
    case .map: return "dictionary"
    }
  }
}
