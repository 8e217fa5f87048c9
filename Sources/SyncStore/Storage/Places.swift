import ObjectStore
import SyncProtocol

/// What the file must know of an object's containers and links beside the protocol's state of them:
/// where containers are that a write has made, and what links lead to that is not there.
struct Places {
  /// Where a container is that is not one which a class declares.
  enum Place: Hashable {
    /// It took the place of the collection that this property of an object declares.
    case property(NameID, of: ContainerID)
    /// An embedded object, or a collection among values of any kind, has a row of its own.
    case row(TableKey, ObjectStore.ObjectKey)
  }

  /// A cell whose link leads to what is not there. In the program's data a property, a value of a
  /// map or of a list of any values is null then, and a member or an element of a list of links is
  /// missing.
  struct Dangling {
    enum Spot: Hashable {
      case property(NameID)
      /// Keys are different where their bytes are.
      case key(Text)
      case member
      /// An index among the elements that the client's state has: the element is missing.
      case item(Int)
      /// The same of an element that is null.
      case nullItem(Int)
    }

    var container: ContainerID
    var spot: Spot
    var target: ObjectID
  }

  var made: [ContainerID: Place] = [:]
  var dangling = DanglingLinks()

  var isEmpty: Bool { made.isEmpty && dangling.isEmpty }

  mutating func drop(_ container: ContainerID) {
    made[container] = nil
    dangling.drop(container)
  }

  mutating func rename(_ old: ContainerID, _ new: ContainerID) {
    if let place = made.removeValue(forKey: old) { made[new] = place }
    for (name, place) in made {
      if case .property(let property, old) = place { made[name] = .property(property, of: new) }
    }
    dangling.rename(old, new)
  }
}
