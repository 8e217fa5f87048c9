import ObjectStore
public import Storage

// What every property read looks at first: may this thread read, and is what the object remembers
// of its row's place still true? Plain memory that a realm instance owns, so that reading costs no
// reference counting.

@usableFromInline
@safe struct ReadState {
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
  @safe nonisolated(unsafe) static let unmanaged = unsafe ReadStateReference(  // never changed
    ReadState(thread: askScheduler, generation: 0, source: nil))
}

/// Where a realm instance has its `ReadState`. Valid as long as the instance, which every object
/// that has this keeps; `unmanaged` is for ever.
@frozen
@usableFromInline
@safe struct ReadStateReference {
  private let state: UnsafeMutablePointer<ReadState>

  init(_ initial: ReadState) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: initial)
  }

  func deallocate() {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  @inline(__always)
  var pointee: ReadState {
    unsafeAddress { unsafe UnsafePointer(state) }
    nonmutating unsafeMutableAddress { unsafe state }
  }

  /// Where the nodes are; only asked for while a version is pinned.
  @inline(__always)
  var knownSource: NodeSource { unsafe state.pointee.source.unsafelyUnwrapped }

  /// An address at which there is something, for those that do not look at it.
  var address: UnsafeRawPointer { unsafe UnsafeRawPointer(state) }
}
