import Storage
import Synchronization

package typealias AsyncWriteCompletion = ((any Error)?) -> Void

/// The asynchronous writes of one realm: which of them wait for their turn, which one runs, and
/// which commits wait for the disk.
///
/// A state machine. What happens comes in as calls, what is to be done goes out as results; there
/// is no clock, no lock, no file and no realm in it. `AsyncWriteDriver` carries out what it says.
///
/// Invariants: one reservation of the writer at the most; none while a commit is held or the
/// realm's end was seen; writes begin in the order in which they were asked for.
package struct AsyncWriteQueue {
  package typealias ID = AsyncTransactionId

  /// A write that waits for its turn.
  package struct Pending {
    package let id: ID
    package let kind: Kind

    package init(id: ID, kind: Kind) {
      self.id = id
      self.kind = kind
    }
  }

  package enum Kind {
    /// `writeAsync` and `beginAsyncWrite`: which of the two says whether returning commits.
    case block(commits: Bool, () -> Void, onComplete: AsyncWriteCompletion?)
    /// `asyncWrite`: the task is woken and takes its turn itself.
    case task((TaskEvent) -> Void)
  }

  package enum TaskEvent {
    case turn
    case cancelled
  }

  /// A commit that is not durable yet.
  package struct Commit {
    let version: Version
    let allowsGrouping: Bool
  }

  /// What one flush makes durable.
  package struct Flush: Sendable {
    package let ids: [ID]
    package let version: Version
    /// Whether the realm's next asynchronous write waits for it.
    package let endsHold: Bool
  }

  /// A block that runs now.
  private struct Running {
    let id: ID
    var isCancelled = false
    var commit: Commit?
  }

  /// Commits that will share a flush.
  private struct Group {
    var ids: [ID] = []
    var version = Version.zero
    static let sizeMax = 1000
  }

  /// Mistakes that the tests' enumeration has to find.
  package enum Fault: CaseIterable {
    case forgetsToReserveAfterFlush
    case reservesWhileHeld
    case completesCancelledWrites
    case keepsReservationOfEmptyLine
    case invalidatesTooEarly
    case newestFirst
    case losesFailedWrites
    case losesWritesOfDroppedRealms
  }

  package var fault: Fault?
  private var waiting: [Pending] = []
  private var firstWaiting = 0
  private var running: [Running] = []
  private var completions: [ID: AsyncWriteCompletion] = [:]
  private var group: Group?
  /// Commits whose flush is not over.
  private var unfinishedCount = 0
  /// Commits that are being made, or whose flush the next write waits for.
  private var holdCount = 0
  private var invalidatesAtTheEnd = false
  /// A place in line for the writer was asked for, or has come.
  package private(set) var isReserved = false
  /// The place where the realm lives has ended: nothing runs there any more.
  package private(set) var hasEnded = false

  package init() {}

  /// Of the process: a write keeps its id when another instance takes it over.
  private static let lastId = Atomic<ID>(0)

  package static func makeId() -> ID {
    let id = lastId.wrappingAdd(1, ordering: .relaxed).newValue
    return id == 0 ? makeId() : id
  }
}

// MARK: Waiting

extension AsyncWriteQueue {
  package var isPerforming: Bool { first != nil || !running.isEmpty || unfinishedCount > 0 }

  package var first: Pending? { firstWaiting < waiting.count ? waiting[firstWaiting] : nil }

  /// Puts a write in line; false after the end.
  mutating func add(_ write: Pending) -> Bool {
    if hasEnded { return false }
    if fault == .newestFirst, first != nil {
      waiting.insert(write, at: firstWaiting)
    } else {
      waiting.append(write)
    }
    return true
  }

  /// Whether the writer is to be reserved now; it then counts as reserved.
  mutating func reserve(isWriting: Bool) -> Bool {
    let isHeld = holdCount > 0 && fault != .reservesWhileHeld
    if first == nil || isReserved || isHeld || isWriting { return false }
    isReserved = true
    return true
  }

  /// The reservation has become a transaction, has failed, or is somebody else's.
  mutating func reservationEnded() { isReserved = false }

  /// Whether a task that was woken may begin by itself: it was woken because reserving failed.
  func mayBegin(isWriting: Bool) -> Bool { !isReserved && !isWriting && holdCount == 0 }

  /// The first write has got its transaction. A block runs from here on.
  mutating func begin() {
    guard let first else { return }
    removeFirst()
    if case .block = first.kind { running.append(Running(id: first.id)) }
  }

  mutating func removeFirst() {
    firstWaiting += 1
    if firstWaiting > 64 && firstWaiting * 2 > waiting.count || firstWaiting == waiting.count {
      waiting.removeFirst(firstWaiting)
      firstWaiting = 0
    }
  }

  package mutating func removeAll() -> [Pending] {
    defer { (waiting, firstWaiting) = ([], 0) }
    return fault == .losesWritesOfDroppedRealms ? [] : Array(waiting[firstWaiting...])
  }

  enum Cancellation {
    /// It waited. Whether the reservation is to be given back: nobody else waits for it.
    case removed(cancelsReservation: Bool)
    /// It runs: its transaction is to be undone.
    case running
    /// It is over but for its completion, which is not called.
    case completionOnly
  }

  mutating func cancel(_ id: ID) -> Cancellation {
    if let cancelsReservation = remove(id) {
      return .removed(cancelsReservation: cancelsReservation)
    }
    if let last = running.lastIndex(where: { $0.id == id }) {
      running[last].isCancelled = true
      return .running
    }
    if fault != .completesCancelledWrites { completions[id] = nil }
    return .completionOnly
  }

  /// Takes a write out of the line. Nil if it was not in it, otherwise whether the reservation is
  /// to be given back.
  mutating func remove(_ id: ID) -> Bool? {
    guard let index = waiting[firstWaiting...].firstIndex(where: { $0.id == id }) else {
      return nil
    }
    waiting.remove(at: index)
    if first != nil || !isReserved || fault == .keepsReservationOfEmptyLine { return false }
    isReserved = false
    return true
  }
}

// MARK: Running

extension AsyncWriteQueue {
  /// What is to be done when a block has returned.
  enum Ending {
    case commit
    case cancel
    /// It has committed by itself; whoever asked for the write waits for the same flush.
    case await(Commit, AsyncWriteCompletion)
    /// It has cancelled by itself.
    case finish(AsyncWriteCompletion)
    case nothing
  }

  mutating func blockReturned(
    commits: Bool, isWriting: Bool, _ onComplete: AsyncWriteCompletion?
  ) -> Ending {
    let block = running.removeLast()
    if isWriting { return commits ? .commit : .cancel }
    guard let onComplete, !block.isCancelled else { return .nothing }
    if let commit = block.commit { return .await(commit, onComplete) }
    return .finish(onComplete)
  }

  /// A commit is being made: whether the next write waits for its flush is not known yet.
  mutating func hold() { holdCount += 1 }
  mutating func endHold() { holdCount -= 1 }

  mutating func didCommit(_ commit: Commit) {
    if !running.isEmpty { running[running.count - 1].commit = commit }
  }

  /// A commit that somebody else waits for, and which delays no write.
  mutating func beginUnfinished() { unfinishedCount += 1 }
  mutating func endUnfinished() { unfinishedCount -= 1 }
}

// MARK: Durability

extension AsyncWriteQueue {
  enum DiskAction {
    case flush(Flush)
    /// There is nothing to wait for; the completion is called in a later turn.
    case report(Flush)
    /// A group has begun, which ends in a later turn or when it is old.
    case groupBegan
  }

  /// What is to be done so that the completion is called when the commit is durable.
  mutating func await(
    _ id: ID, _ commit: Commit, _ completion: AsyncWriteCompletion?, isFlushed: Bool
  ) -> [DiskAction] {
    if hasEnded { return [] }
    register(id, completion)
    if !isFlushed {
      return [.report(Flush(ids: [id], version: commit.version, endsHold: false))]
    }
    if commit.allowsGrouping { return join(id, commit.version) }
    // Earlier commits do not become durable later than this one.
    var actions = closeGroup().map { [DiskAction.flush($0)] } ?? []
    holdCount += 1
    actions.append(.flush(Flush(ids: [id], version: commit.version, endsHold: true)))
    return actions
  }

  private mutating func join(_ id: ID, _ version: Version) -> [DiskAction] {
    let begins = group == nil
    group = group ?? Group()
    group!.ids.append(id)
    group!.version = version
    if begins { return [.groupBegan] }
    if group!.ids.count < Group.sizeMax { return [] }
    return closeGroup().map { [.flush($0)] } ?? []
  }

  /// The first commit of the group that is open.
  var oldestOfGroup: ID? { group?.ids.first }

  /// The flush of the commits that were gathered.
  mutating func closeGroup() -> Flush? {
    defer { group = nil }
    return group.map { Flush(ids: $0.ids, version: $0.version, endsHold: false) }
  }

  /// The completion is to be called in a later turn, without a flush. Nil after the end.
  mutating func finishLater(_ id: ID, _ completion: @escaping AsyncWriteCompletion) -> Flush? {
    if hasEnded { return nil }
    if fault == .losesFailedWrites { return nil }
    register(id, completion)
    return Flush(ids: [id], version: .zero, endsHold: false)
  }

  private mutating func register(_ id: ID, _ completion: AsyncWriteCompletion?) {
    unfinishedCount += 1
    completions[id] = completion
  }

  /// The flush of a commit is over; its completion, unless it was called off.
  mutating func finish(_ id: ID) -> AsyncWriteCompletion? {
    unfinishedCount -= 1
    return completions.removeValue(forKey: id)
  }
}

// MARK: Ending

extension AsyncWriteQueue {
  /// Whether the realm may be invalidated at once; otherwise it is when the last write is over.
  mutating func invalidate() -> Bool {
    if !isPerforming || fault == .invalidatesTooEarly { return true }
    invalidatesAtTheEnd = true
    return false
  }

  /// Whether the realm is to be invalidated now, which had to wait for the last write.
  mutating func takeInvalidation() -> Bool {
    if !invalidatesAtTheEnd || isPerforming { return false }
    invalidatesAtTheEnd = false
    return true
  }

  /// Nothing is run or called where the realm lives any more. Returns what has not begun; commits
  /// stay and are flushed.
  mutating func end() -> [Pending] {
    hasEnded = true
    isReserved = false
    completions = [:]
    unfinishedCount = 0
    holdCount = 0
    return removeAll()
  }
}
