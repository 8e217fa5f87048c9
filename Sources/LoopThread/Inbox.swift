import Synchronization

/// What other threads have left for a loop.
///
/// Without a lock: a sender that the kernel stops in the middle of its call would let the loop wait
/// for it. Senders put their items in front of a linked list, and the loop takes the whole list.
final class Inbox: Sendable {
  enum Item {
    case work(@Sendable () -> Void)
    case job(UnownedJob)
  }

  private final class Node {
    let item: Item
    /// The address of the node before it, or nothing.
    var older = Inbox.nothing

    init(_ item: Item) { self.item = item }
  }

  /// The address of the newest node, which is retained; or one of the two below.
  private let newest = Atomic<UInt>(Inbox.nothing)
  private static let nothing: UInt = 0
  /// Nothing will come any more.
  private static let closed: UInt = 1

  enum Outcome {
    case refused
    /// The loop has to be woken.
    case taken(isFirst: Bool)
  }

  deinit { _ = take(leaving: Self.closed) }

  /// From any thread.
  func put(_ item: Item) -> Outcome {
    let node = Node(item)
    // For the list, which may give it back at once.
    let retained = unsafe Unmanaged.passRetained(node)
    var before = newest.load(ordering: .acquiring)
    while before != Self.closed {
      // The node is not shared yet.
      node.older = before
      let (done, now) = unsafe newest.weakCompareExchange(
        expected: before, desired: UInt(bitPattern: retained.toOpaque()),
        ordering: .acquiringAndReleasing)
      if done { return .taken(isFirst: before == Self.nothing) }
      before = now
    }
    unsafe retained.release()
    return .refused
  }

  /// Everything that has come, oldest first. For the loop's thread, before `close`.
  func takeAll() -> [Item] { take(leaving: Self.nothing) }

  /// What has come until now; more is not taken.
  func close() -> [Item] { take(leaving: Self.closed) }

  private func take(leaving mark: UInt) -> [Item] {
    var rest = newest.exchange(mark, ordering: .acquiringAndReleasing)
    var items: [Item] = []
    while let node = Self.node(rest) {
      items.append(node.item)
      rest = node.older
    }
    items.reverse()
    return items
  }

  /// The node that the list no longer has.
  private static func node(_ address: UInt) -> Node? {
    if address == closed { return nil }
    return unsafe UnsafeRawPointer(bitPattern: address).map {
      unsafe Unmanaged<Node>.fromOpaque($0).takeRetainedValue()
    }
  }
}
