public import Foundation

/// One property of an object that changed.
@frozen
public struct PropertyChange {
  /// The property's name in Swift.
  public let name: String
  /// The value before, nil for none; objects and collections are frozen. Nil also where the
  /// observing realm itself has written, and for lists.
  public let oldValue: Any?
  /// The value now, nil for none and for lists.
  public let newValue: Any?
}

/// What happened to an object.
@frozen
public enum ObjectChange<T> {
  /// Delivery failed; nothing more will come.
  case error(NSError)
  /// Properties were set, perhaps to the values that they had.
  case change(T, [PropertyChange])
  /// The object was deleted; nothing more will come.
  case deleted
}

/// What happened to a collection.
@frozen
public enum RealmCollectionChange<CollectionType> {
  /// The first delivery: the collection as it is.
  case initial(CollectionType)
  /// The collection changed. Positions of deletions and modifications are those in the collection
  /// before, positions of insertions those in it now, as table views take them. What was modified
  /// stays where it was among the others. All positions rise.
  case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
  /// Delivery failed; nothing more will come.
  case error(any Error)
}

extension Realm {
  /// What observers of a realm are told.
  @frozen
  public enum Notification: String, Sendable {
    /// The realm is at another version.
    case didChange = "RLMRealmDidChangeNotification"
    /// There is a newer version, and `autorefresh` is off.
    case refreshRequired = "RLMRealmRefreshRequiredNotification"
  }
}

/// What observers of a realm are called with.
public typealias NotificationBlock = (_ notification: Realm.Notification, _ realm: Realm) -> Void
