import Platform
import Synchronization

/// Makes a variable or parameter that holds something confined readable on any thread: each read
/// gives the live thing there.
///
///     @ThreadSafe var reading = sensor.newestReading
///     queue.async { [_reading] in
///       try? Realm().write { _reading.wrappedValue?.isChecked = true }
///     }
///
/// In the Swift 5 mode `reading` itself can be captured, and used as `reading?.isChecked`.
///
/// The variable is always optional: it is nil once the object was deleted. Reading it inside a
/// write transaction gives the newest version.
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: Sendable {
  private struct State: Sendable {
    var configuration: Realm.Configuration?
    var content: _HandoverBox.Content?
  }

  private let state: LockedValue<State>

  /// The live thing on the caller's thread, nil once it was deleted.
  public var wrappedValue: T? {
    get { read() }
    set {
      let replacement = Self.state(of: newValue)
      state.withLock { $0 = replacement }
    }
  }

  /// Wraps an object or collection of a realm, or nil.
  ///
  /// An unmanaged one is a misuse.
  public init(wrappedValue: T?) { state = LockedValue(Self.state(of: wrappedValue)) }

  private static func state(of value: T?) -> State {
    guard let value else { return State() }
    guard let realm = value.realm else {
      throwRealmException(
        "Only managed objects may be wrapped as thread safe. Unmanaged objects may be passed "
          + "across threads by themselves.")
    }
    // Keys are never used again, so finding the thing later needs no pinned version.
    return State(
      configuration: realm.configuration,
      content: HandoverMaking.content(of: value).withoutPin())
  }

  private func read() -> T? {
    let state = state.withLock { $0 }
    guard let configuration = state.configuration, let content = state.content else { return nil }
    if let here = content.shared.currentInstance(readOnly: configuration.readOnly) {
      return content.resolve(in: here) as? T
    }
    do {
      let realm = try Realm(configuration: configuration)
      return content.resolve(in: realm.instance) as? T
    } catch {
      throwRealmException("The realm could not be opened: \(error.localizedDescription)")
    }
  }
}
