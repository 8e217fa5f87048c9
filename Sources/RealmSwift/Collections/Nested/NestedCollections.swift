import ObjectStore
import Storage

// Lists and dictionaries in `AnyRealmValue`: each is the collection of an object of the file's own;
// see `NestedCollection`. The classes of those objects are bound like the program's.

/// What a list in an `AnyRealmValue` is kept as.
final class NestedList: EmbeddedObject {
  @Persisted var elements: List<AnyRealmValue>

  override class func _realmObjectName() -> String? { NestedCollection.list.className }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What a dictionary in an `AnyRealmValue` is kept as.
final class NestedMap: EmbeddedObject {
  @Persisted var elements: Map<String, AnyRealmValue>

  override class func _realmObjectName() -> String? { NestedCollection.map.className }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension NestedCollection {
  /// The most levels that a value which is stored, or made from arrays and dictionaries, can have.
  static let depthMax = 100

  static let classes = [ClassInfo.of(NestedList.self), ClassInfo.of(NestedMap.self)]

  static func checkDepth(_ depth: Int) {
    if depth <= depthMax { return }
    throwRealmException(
      "Maximum nesting level of \(depthMax) exceeded: flatten the value, or store it in parts.")
  }
}
