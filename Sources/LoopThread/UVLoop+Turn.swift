/// Something to be called at the start of loop turns, until it is cancelled or released.
///
/// Belongs to the loop's thread like the loop's other parts.
public final class TurnHook {
  let body: () -> Void
  private weak var loop: UVLoop?
  var isActive: Bool { loop != nil }

  init(loop: UVLoop, body: @escaping () -> Void) {
    self.loop = loop
    self.body = body
  }

  /// No more calls. Own thread only.
  public func cancel() {
    loop?.turnHooks.removeAll { $0.hook === self || $0.hook == nil }
    loop = nil
  }
}

/// The loop does not retain a hook; its owner does.
struct WeakHook {
  weak var hook: TurnHook?
}

extension UVLoop {
  /// Calls `body` at the start of every turn: after the loop has waited and before it waits again,
  /// and before anything that `execute` or the main queue brought. A turn may have more than one
  /// such call, so `body` should be cheap when there is nothing to do. Own thread only.
  ///
  /// Call `wake()` from any thread to have a turn soon.
  ///
  /// - Returns: the hook; keep it, calls end with its last reference.
  public func onTurnStart(_ body: @escaping () -> Void) -> TurnHook {
    requireOwnThread()
    let hook = TurnHook(loop: self, body: body)
    turnHooks.append(WeakHook(hook: hook))
    return hook
  }

  /// Calls `body` when the loop is closed, after what `execute` has accepted. Own thread only.
  ///
  /// - Returns: the hook; keep it, there is no call without a reference to it.
  package func onClose(_ body: @escaping () -> Void) -> TurnHook {
    requireOwnThread()
    let hook = TurnHook(loop: self, body: body)
    closeHooks.removeAll { $0.hook == nil }
    closeHooks.append(WeakHook(hook: hook))
    return hook
  }

  func startTurn() {
    if turnHooks.isEmpty { return }
    // A hook may add and cancel hooks; one that an earlier hook cancelled is not called.
    var gone = false
    for weak in turnHooks {
      guard let hook = weak.hook else {
        gone = true
        continue
      }
      if hook.isActive { hook.body() }
    }
    if gone { turnHooks.removeAll { $0.hook == nil } }
  }
}
