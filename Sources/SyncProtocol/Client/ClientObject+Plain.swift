extension ClientObject {
  /// The state of an object of which nothing is stored: created once, nothing in it but values, and
  /// all of them acknowledged.
  public static func plain(_ type: NameID) -> ClientObject {
    var plain = ClientObject(generation: Generation(1))
    plain.clear(type: type)
    return plain
  }

  /// Whether nothing needs to be stored of it.
  public var isPlain: Bool {
    generation == Generation(1) && !isGenerationDirty && !isLeaving && tombstone == nil
      && creations.isEmpty && recoveredTime == nil && containers.count == 1
      && containers[.root]?.isPlain == true
  }
}

extension ClientContainer {
  fileprivate var isPlain: Bool { dirty.isEmpty && made.isEmpty && list == nil }
}
