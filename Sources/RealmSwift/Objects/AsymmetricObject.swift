/// A class of objects that are only sent to a server and not kept: they cannot be added to a realm
/// or queried.
open class AsymmetricObject: ObjectBase {
  /// Makes an object.
  public override init() { super.init() }

  /// Makes an object with the given values: a dictionary by property names, an array in the order
  /// of declaration, or another object with properties of the same names.
  public convenience init(value: Any) {
    self.init()
    _fill(from: value)
  }

  /// The class as a realm that is synchronised would know it.
  public var objectSchema: ObjectSchema { ClassInfo.of(type(of: self)).objectSchema }
}
