/// A list or map that is itself a value of any kind.
///
/// It is an object of a class of the file's own, which the file gets with its first such value: the
/// class has one property, the list or map. The value is a link to that object, which belongs to it
/// as an embedded object belongs to its link. So whatever reads, changes, checks, moves and watches
/// lists does the same with nested ones.
public enum NestedCollection: Sendable, CaseIterable {
  case list
  case map

  /// The name of the class. No class of a program can have it.
  package var className: String {
    switch self {
    case .list: "any.list"
    case .map: "any.map"
    }
  }

  /// The kind of collection that a class of the file's own stands for.
  package init?(className: String) {
    guard let kind = Self.allCases.first(where: { $0.className == className }) else { return nil }
    self = kind
  }

  /// The class, as a program would want it.
  var description: ClassDescription {
    let property = PropertyDescription(
      name: "elements", kind: .any, collection: self == .list ? .list : .map)
    return ClassDescription(name: className, properties: [property], isEmbedded: true)
  }
}

extension ClassDescription {
  /// Whether the class is one of the file's own, for collections among values of any kind.
  package var isNestedCollection: Bool { NestedCollection(className: name) != nil }
}
