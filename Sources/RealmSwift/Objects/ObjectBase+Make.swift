// Models may write `override init()`, as in the SDK, only if `init()` is not `required`; and then
// Swift lets nobody call it on a class that is known at run time alone, except for another
// initialiser of the class, which reaches the one of the subclass by dynamic dispatch.

extension ObjectBase {
  /// Calls `init()` of the class that it is called on.
  @usableFromInline
  convenience init(_dynamicClass: Void) { self.init() }

  /// Makes an unmanaged object of the class by its `init()`.
  ///
  /// This is the initialiser above, by the name that it has for the linker, which does not link if
  /// the name is wrong: an initialiser that allocates is called as a class method is, with the
  /// class, and returns an object that the caller owns.
  @_silgen_name("$s10RealmSwift10ObjectBaseC13_dynamicClassACyt_tcfC")
  final class func make() -> ObjectBase
}
