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
    let unfilled = realm.deferred.unfilledObjects
    if !unfilled.begins(self) { return }
    object._fill(from: source, info, realm)
    while let next = unfilled.next() { next.object._fill(from: next.source, next.info, realm) }
    unfilled.end()
  }
}
