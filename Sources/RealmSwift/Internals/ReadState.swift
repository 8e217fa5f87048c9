import ObjectStore
public import Storage

// What every property read looks at first: may this thread read, and is what the object remembers
// of its row's place still true? Plain memory that a realm instance owns, so that reading costs no
// reference counting.

@usableFromInline
struct ReadState {
  /// The identifier of the only thread that may read; `anyThread` for a frozen realm,
  /// `askScheduler` where that takes more than a comparison.
  @usableFromInline var thread: UInt64
  /// Rises with every change of what is read: a refresh, a change in the write transaction.
  @usableFromInline var generation: UInt64
  /// Where the version's nodes are. Only meaningful while a version is pinned.
  @usableFromInline var source: NodeSource?
  /// The open write transaction; nil without one. The instance keeps it.
  var objects: Unmanaged<ObjectTransaction>?
  /// The generation that the open write transaction began with: what was seen since is there unless
  /// the transaction itself has deleted it. Above all generations without a transaction.
  var writeStart = UInt64.max
  /// The instance that this belongs to, for whoever keeps that alive; none for unmanaged objects.
  /// Asking it through here spares the counting of references, which costs more than all else.
  var owner: Unmanaged<_RealmInstance>?

  static let anyThread: UInt64 = 0
  static let askScheduler = UInt64.max

  /// What unmanaged objects point to.
  nonisolated(unsafe) static let unmanaged: UnsafeMutablePointer<ReadState> = {
    let state = UnsafeMutablePointer<ReadState>.allocate(capacity: 1)
    state.initialize(to: ReadState(thread: askScheduler, generation: 0, source: nil))
    return state
  }()
}
