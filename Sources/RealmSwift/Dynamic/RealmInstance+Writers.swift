import Storage

// What changes the objects of a realm, each for its kind of change.

extension _RealmInstance {
  var adder: ObjectAdder { ObjectAdder(self) }
  var creator: ObjectCreator { ObjectCreator(self) }
  var deleter: ObjectDeleter { ObjectDeleter(self) }
  var embedder: EmbeddedWriter { EmbeddedWriter(self) }
  var nester: NestedWriter { NestedWriter(self) }
  var dynamicWriter: DynamicWriter { DynamicWriter(self) }

  /// Makes a change whose values may come from what it replaces: that goes when they are copied.
  func replacing<Result>(_ change: () -> Result) -> Result {
    let objects = writing!.objects
    objects.keepOrphans()
    defer {
      engine { () throws(StorageError) in try objects.releaseOrphans() }
      didChange()
    }
    return change()
  }
}
