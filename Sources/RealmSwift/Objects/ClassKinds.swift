// Which classes are what: top-level, embedded, asymmetric, or the library's own.

extension ClassInfo {
  /// Whether objects of the class belong to one link of another object each.
  var isEmbedded: Bool { type is EmbeddedObject.Type }
  /// Whether objects of the class are only sent to a server.
  var isAsymmetric: Bool { type is AsymmetricObject.Type }
}

extension ObjectBase {
  /// Whether realms that are opened without `objectTypes` have the class.
  static var _isInDefaultSchema: Bool {
    if self == ObjectBase.self || self == Object.self || self == EmbeddedObject.self {
      return false
    }
    return !(self is AsymmetricObject.Type) && shouldIncludeInDefaultSchema()
  }
}
