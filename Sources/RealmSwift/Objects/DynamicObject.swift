/// An object whose class is known by name alone: its properties are read and written by their
/// names.
///
///     let dogs = realm.dynamicObjects("Dog")
///     dogs.first?["name"]       // Any?
///     dogs.first?.name as? String
///
/// The program need not have the class; it is enough that the file does. What such an object links
/// to is dynamic as well: a link is a `DynamicObject`, a list of objects a `List<DynamicObject>`.
@dynamicMemberLookup
public final class DynamicObject: Object {
  /// The value of the property with that name; setting converts what it can.
  public subscript(dynamicMember member: String) -> Any? {
    get { self[member] }
    set { self[member] = newValue }
  }

  /// Never: it stands for classes of any name.
  public override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An object as a migration sees it.
public typealias MigrationObject = DynamicObject
