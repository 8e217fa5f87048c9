import ObjectStore
import Storage

extension RealmCollection {
  /// How the realm finds what the collection holds, in words for people: by an index or by looking
  /// at all objects, and what is done after that.
  ///
  ///     print(realm.objects(Dog.self).where { $0.age == 3 }.sorted(by: \.name).explain())
  ///     // Dog: index of 'age' names about 12 objects
  ///     // sort by name
  public func explain() -> String { _collection.explanation() }
}

extension _ManagedCollection {
  fileprivate func explanation() -> String {
    if !instance.isFrozen { instance.checkThread() }
    guard binding != nil else { return "\(count) values of a list, each is looked at" }
    let compiled = compiledQuery()
    let view = instance.view
    return engine { () throws(StorageError) in try compiled.explanation(view) }
  }
}
