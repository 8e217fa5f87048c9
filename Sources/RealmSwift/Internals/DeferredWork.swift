/// Work that leads to more of its kind. It goes on by calling itself as far as some depth; what is
/// deeper waits until the stack is down again, so that it needs the same stack however much it is.
final class DeferredWork<Item> {
  private static var depthMax: Int { 32 }

  private var depth = 0
  private var waiting: [Item] = []

  /// Whether the item is to be done now, and `end` called when it and all of `next` are done.
  /// Otherwise it waits.
  func begins(_ item: @autoclosure () -> Item) -> Bool {
    if depth >= Self.depthMax {
      waiting.append(item())
      return false
    }
    depth += 1
    return true
  }

  /// One that has waited, where the stack is down.
  func next() -> Item? { depth == 1 && !waiting.isEmpty ? waiting.removeLast() : nil }

  func end() { depth -= 1 }

  /// Forgets what is under way, which has been cut off.
  func reset() {
    depth = 0
    waiting = []
  }
}
