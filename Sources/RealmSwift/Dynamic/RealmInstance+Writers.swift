// What changes the objects of a realm, each for its kind of change.

extension _RealmInstance {
  var adder: ObjectAdder { ObjectAdder(self) }
  var creator: ObjectCreator { ObjectCreator(self) }
  var deleter: ObjectDeleter { ObjectDeleter(self) }
  var embedder: EmbeddedWriter { EmbeddedWriter(self) }
  var nester: NestedWriter { NestedWriter(self) }
  var dynamicWriter: DynamicWriter { DynamicWriter(self) }
}
