internal import CRuntime

/// Leads to an object as long as it lives, as a weak reference does.
///
/// A weak reference would give the object a side table for good, and every retain and release of it
/// the slow path. Here the object's `deinit` calls `forget()` first; until that has returned the
/// object's memory is valid, so that the runtime can be asked for a reference.
public final class WeakHandle<Object: AnyObject & Sendable>: Sendable {
  private let address = LockedValue<UInt>(0)

  public init() {}

  /// Called once, at the end of the object's initialiser.
  public func remember(_ object: Object) {
    let bits = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    address.withLock { $0 = bits }
  }

  /// Called first in the object's `deinit`.
  public func forget() { address.withLock { $0 = 0 } }

  /// The object, unless its deinitialisation has begun.
  public var object: Object? {
    address.withLock { bits in
      guard let pointer = UnsafeMutableRawPointer(bitPattern: bits),
        let retained = holdfast_try_retain(pointer)
      else { return nil }
      return Unmanaged<Object>.fromOpaque(retained).takeRetainedValue()
    }
  }
}
