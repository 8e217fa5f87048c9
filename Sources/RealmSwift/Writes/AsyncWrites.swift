import Dispatch
import Platform
import Storage
import Synchronization

/// The asynchronous writes of one realm instance: those that wait for their turn, and commits whose
/// flush somebody waits for. Touched on the instance's scheduler only, but for `flushes`.
struct AsyncWrites {
  /// A write that waits for its turn.
  struct Pending {
    let id: AsyncTransactionId
    let kind: Kind
  }

  enum Kind {
    /// `writeAsync` and `beginAsyncWrite`: which of the two says whether returning commits.
    case block(commits: Bool, () -> Void, onComplete: AsyncWriteCompletion?)
    /// `asyncWrite`: the task is woken and takes its turn itself.
    case task(TaskTurn)
  }

  /// The block that runs now.
  struct Running {
    let id: AsyncTransactionId
    var isCancelled = false
    var commit: Commit?
  }

  /// A commit that was made while a block ran.
  struct Commit {
    let version: UInt64
    let allowsGrouping: Bool
  }

  /// Commits that will share a flush.
  struct Group {
    var ids: [AsyncTransactionId] = []
    var version: UInt64 = 0
    private let start = ContinuousClock.now

    static let ageMax = DispatchTimeInterval.milliseconds(50)
    /// A serial queue, which gets a thread also when all threads of the global queues are blocked.
    static let ageing = DispatchQueue(label: "holdfast.groups")
    var isFull: Bool { ids.count >= 1000 || ContinuousClock.now - start > .milliseconds(50) }
  }

  private var waiting: [Pending] = []
  private var firstWaiting = 0
  /// Of the process: a write keeps its id when another instance takes it over.
  private static let lastId = Atomic<AsyncTransactionId>(0)
  var reservation: WriterReservation?
  var running: Running?
  var completions: [AsyncTransactionId: AsyncWriteCompletion] = [:]
  var group: Group?
  /// Commits whose flush is not over.
  var unfinishedCount = 0
  /// Commits whose flush the next block waits for.
  var holdCount = 0
  var invalidatesAtTheEnd = false
  /// What hears of the end of the place where the realm lives.
  var ending: AnyObject?
  /// The place has ended: nothing is run or told there any more.
  var hasEnded = false
  let flushes = FinishedFlushes()

  var isPerforming: Bool { first != nil || running != nil || unfinishedCount > 0 }

  var first: Pending? { firstWaiting < waiting.count ? waiting[firstWaiting] : nil }

  static func makeId() -> AsyncTransactionId {
    let id = lastId.wrappingAdd(1, ordering: .relaxed).newValue
    return id == 0 ? makeId() : id
  }

  mutating func add(_ write: Pending) { waiting.append(write) }

  mutating func removeFirst() {
    firstWaiting += 1
    if firstWaiting > 64 && firstWaiting * 2 > waiting.count || firstWaiting == waiting.count {
      waiting.removeFirst(firstWaiting)
      firstWaiting = 0
    }
  }

  mutating func removeAll() -> [Pending] {
    defer { (waiting, firstWaiting) = ([], 0) }
    return Array(waiting[firstWaiting...])
  }

  /// Whether there was one with that id.
  mutating func remove(_ id: AsyncTransactionId) -> Bool {
    guard let index = waiting[firstWaiting...].firstIndex(where: { $0.id == id }) else {
      return false
    }
    waiting.remove(at: index)
    return true
  }
}

typealias AsyncWriteCompletion = ((any Error)?) -> Void

/// What flushes on other threads have achieved, until the realm's own looks. In order.
final class FinishedFlushes: Sendable {
  struct Flush: Sendable {
    let ids: [AsyncTransactionId]
    let error: StorageError?
    let endsHold: Bool
  }

  private let flushes = LockedValue<[Flush]>([])

  func append(_ flush: Flush) { flushes.withLock { $0.append(flush) } }

  func takeAll() -> [Flush] {
    flushes.withLock { flushes in
      defer { flushes = [] }
      return flushes
    }
  }
}

/// Where a task waits for its turn to write.
final class TaskTurn: Sendable {
  private enum State {
    case idle
    case waiting(CheckedContinuation<Void, Never>)
    case called
    case cancelled
  }

  private let state = LockedValue(State.idle)

  var isCancelled: Bool {
    state.withLock { if case .cancelled = $0 { true } else { false } }
  }

  /// Returns when it was called, or when the task is cancelled.
  func wait(_ actor: isolated any Actor) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          switch state {
          case .idle, .waiting:
            state = .waiting(continuation)
            return false
          case .called:
            state = .idle
            return true
          case .cancelled: return true
          }
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      leave(.cancelled)
    }
  }

  func call() { leave(.called) }

  func cancel() { leave(.cancelled) }

  private func leave(_ next: State) {
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      switch state {
      case .cancelled: return nil
      case .waiting(let continuation):
        if case .cancelled = next { state = .cancelled } else { state = .idle }
        return continuation
      case .idle, .called:
        state = next
        return nil
      }
    }
    continuation?.resume()
  }
}
