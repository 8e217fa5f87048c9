/// An unmanaged object and the values that it is yet to be given.
struct UnfilledObject {
  let object: ObjectBase
  private let info: ClassInfo
  private let source: PropertySource

  init(_ type: ObjectBase.Type, _ value: Any) {
    info = ClassInfo.of(type)
    source = PropertySource(value, for: info)
    object = type.make()
  }

  /// Gives the object its values; in time, where it is held by many others that are being filled.
  func fill(_ realm: _RealmInstance?) {
    guard let realm else { return object._fill(from: source, info, nil) }
    if !realm.unfilled.objects.begins(self) { return }
    object._fill(from: source, info, realm)
    while let next = realm.unfilled.objects.next() {
      next.object._fill(from: next.source, next.info, realm)
    }
    realm.unfilled.objects.end()
  }
}

/// Objects of a realm that are being filled, and hold one the next.
struct Unfilled {
  /// Those that have no rows yet.
  var objects = DeferredWork<UnfilledObject>()
  /// Embedded ones that are made by the names of their classes.
  var rows = DeferredWork<UnfilledRow>()
}
