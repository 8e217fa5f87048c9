import CRuntime

// A write that was begun by `beginWrite()` may be ended through another `Realm` of the same place:
// `try Realm().beginWrite()`, and later `try Realm().commitWrite()`. So the open write holds its
// realm: where there are turns to the end of the turn, on a thread without a loop to the thread's
// end. If nothing else holds the realm then, the write is cancelled with it.

/// Keeps a realm while its write is open.
///
/// Held by what ends it: a piece of work at the end of the turn, or the thread. So a loop that is
/// closed before, and drops its work, does not keep the realm either.
final class OpenWriteHold: @unchecked Sendable {
  // Sendable: used where the realm lives, and by whatever drops it at the end of that place.
  private var instance: _RealmInstance?
  private let number: UInt64

  fileprivate init(_ instance: _RealmInstance, _ number: UInt64) {
    self.instance = instance
    self.number = number
  }

  /// After `beginWrite()`.
  static func keep(_ instance: _RealmInstance) {
    if let hold = instance.openWriteHold {
      hold.instance = instance
    } else if instance.scheduler.canInvoke {
      let hold = OpenWriteHold(instance, 0)
      instance.openWriteHold = hold
      instance.scheduler.invoke { hold.end() }
    } else {
      instance.openWriteHold = ThreadHolds.current.add(instance)
    }
  }

  /// The write is over.
  func end() {
    instance = nil
    if number != 0 { ThreadHolds.current.holds[number] = nil }
  }
}

/// The holds of one thread, which has no loop.
private final class ThreadHolds {
  var holds: [UInt64: OpenWriteHold] = [:]
  private var last: UInt64 = 0

  func add(_ instance: _RealmInstance) -> OpenWriteHold {
    last += 1
    let hold = OpenWriteHold(instance, last)
    holds[last] = hold
    return hold
  }

  /// The calling thread's; goes with the thread.
  static var current: ThreadHolds {
    if let object = unsafe holdfast_thread_object() {
      return unsafe Unmanaged<ThreadHolds>.fromOpaque(object).takeUnretainedValue()
    }
    let made = ThreadHolds()
    unsafe holdfast_set_thread_object(Unmanaged.passRetained(made).toOpaque())
    return made
  }
}
