public import Observation

/// An object or a collection of a realm that Swift's Observation can track: reading what it holds
/// within `withObservationTracking`, or in what is built on that, registers it, and changes of any
/// program are reported.
///
///     let dogs = realm.objects(Dog.self).observed()
///     withObservationTracking {
///       print(dogs.value.count)
///     } onChange: {
///       …
///     }
///
/// It belongs where the realm lives. Those who do not make one pay nothing for it.
@dynamicMemberLookup
public final class RealmObserved<Thing: ThreadConfined>: Observable {
  private let registrar = ObservationRegistrar()
  private let thing: Thing
  private var token: NotificationToken?

  init(_ thing: Thing, _ observe: (@escaping () -> Void) -> NotificationToken) {
    self.thing = thing
    token = observe { [weak self] in self?.report() }
  }

  /// What is observed, as it is now. Reading it counts as reading all of it.
  public var value: Thing {
    registrar.access(self, keyPath: \.value)
    return thing
  }

  /// A property of what is observed.
  public subscript<Value>(dynamicMember keyPath: KeyPath<Thing, Value>) -> Value {
    value[keyPath: keyPath]
  }

  private func report() { registrar.withMutation(of: self, keyPath: \.value) {} }
}

@available(*, unavailable)
extension RealmObserved: Sendable {}

extension RealmCollection {
  /// The collection for Swift's Observation.
  ///
  /// - Parameter keyPaths: What counts as a modification of an element.
  public func observed(keyPaths: [String]? = nil) -> RealmObserved<Self> {
    RealmObserved(self) { report in
      observe(keyPaths: keyPaths) { change in
        if case .update = change { report() }
      }
    }
  }
}

extension Map {
  /// The map for Swift's Observation.
  ///
  /// - Parameter keyPaths: What counts as a modification of an object.
  public func observed(keyPaths: [String]? = nil) -> RealmObserved<Map<Key, Value>> {
    RealmObserved(self) { report in
      observe(keyPaths: keyPaths) { change in
        if case .update = change { report() }
      }
    }
  }
}

extension _LinkableObject {
  /// The object for Swift's Observation. That it was deleted counts as a change.
  ///
  /// - Parameter keyPaths: The properties that count; nil or none for all of the object itself.
  public func observed(keyPaths: [String]? = nil) -> RealmObserved<Self> {
    RealmObserved(self) { report in
      _observe(keyPaths: keyPaths, on: nil) { (_: ObjectChange<Self>) in report() }
    }
  }
}
