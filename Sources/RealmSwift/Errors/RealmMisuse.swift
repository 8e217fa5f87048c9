import Platform
import Synchronization

/// Where wrong use of the library ends: on Apple platforms an `NSException`, here a hook.
///
/// Wrong use is a mistake in the program (a live object on the wrong thread, a change outside of a
/// write transaction), not something that a program handles. The default prints one line on
/// standard error and traps. Every check comes before anything is locked or changed, so a handler
/// that leaves by other means finds the library, and the file, consistent.
public enum RealmMisuse {
  /// What is called with the kind of misuse (`"RLMException"` unless a more special name exists)
  /// and the reason. It may be set at any time, from any thread.
  public static var handler: @Sendable (_ name: String, _ reason: String) -> Never {
    get { current.withLock { $0.call } }
    set { current.withLock { $0.call = newValue } }
  }

  /// A closure by itself would be wrapped anew each time that a generic value lends it out.
  private struct Handler: Sendable {
    var call: @Sendable (String, String) -> Never
  }

  private static let current = LockedValue(Handler(call: trap))

  @Sendable private static func trap(name: String, reason: String) -> Never {
    fatalError("\(name): \(reason)")
  }
}

/// Reports wrong use of the library; the only way out for it. Call it before any lock is taken and
/// before any state is changed.
///
/// - Parameters:
///   - reason: One line: the fault and, where it is not obvious, the remedy.
///   - name: The kind of misuse.
@inline(never)
public func throwRealmException(_ reason: String, name: String = "RLMException") -> Never {
  RealmMisuse.handler(name, reason.onOneLine)
}

extension String {
  /// Values in reasons, such as descriptions of objects, may take several lines.
  fileprivate var onOneLine: String {
    split(whereSeparator: \.isNewline).map { $0.trimmingPrefix(while: \.isWhitespace) }
      .joined(separator: " ")
  }
}

/// Reasons that are given in several places.
enum MisuseReason {
  static let incorrectThread =
    "Realm accessed from incorrect thread. Open a realm where it is used, or pass a "
    + "ThreadSafeReference or a frozen copy there."
  static let frozenTransaction =
    "Can't perform transactions on a frozen Realm; use the live one, which `thaw()` gives."
  static let readOnlyTransaction =
    "Can't perform transactions on read-only Realms; open it without `readOnly` to write."
  static let noTransactionToCommit =
    "Can't commit a non-existing write transaction; begin one with `beginWrite()` first."
  static let deletedObject =
    "Object has been deleted or invalidated. Ask `isInvalidated` first, or look it up again."
  static let unmanagedObserved =
    "Only objects which are managed by a Realm support change notifications; add it to one first."
  static let primaryKeyChanged =
    "Primary key can't be changed after an object is inserted; create another object instead."
  static let foreignObject =
    "Object is already managed by another Realm. Use create instead to copy it into this Realm."
}
