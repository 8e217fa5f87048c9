import CRuntime
import Dispatch
import LoopThread

/// An actor, whichever thread serves it.
///
/// Holds the actor weakly: actors usually hold their realm. Work that comes when the actor is gone
/// runs on a queue of its own, so that what waits for it is let go of.
final class ActorScheduler: Scheduler {
  private weak let actor: (any Actor)?
  let executor: ExecutorWords
  /// Keeps an executor of the actor's own alive as long as it is asked.
  private let customExecutor: (any SerialExecutor)?

  let identity: SchedulerIdentity
  /// What runs on a loop's thread is isolated to the actors that live there.
  var thread: UInt64 {
    (customExecutor as? UVLoop)?.isCurrent == true ? currentThread() : ReadState.askScheduler
  }
  var canInvoke: Bool { true }
  var exists: Bool { actor != nil }

  private init(_ actor: any Actor) {
    self.actor = actor
    identity = .actor(ObjectIdentifier(actor))
    let unowned = unsafe actor.unownedExecutor
    executor = unsafe unsafeBitCast(unowned, to: ExecutorWords.self)
    let custom = unsafe unowned.asSerialExecutor()
    customExecutor = custom === actor ? nil : custom
  }

  /// The main actor is the main thread and queue.
  static func scheduler(of actor: any Actor) -> any Scheduler {
    actor === MainActor.shared ? MainScheduler.shared : ActorScheduler(actor)
  }

  var isCurrent: Bool {
    // An executor that is not a task's may still be ours: a loop calls back without tasks.
    if let isIsolating = customExecutor?.isIsolatingCurrentContext() { return isIsolating }
    if executor.isCurrent { return true }
    return actor == nil && DispatchQueue.getSpecific(key: Self.orphanKey) == true
  }

  func invoke(_ work: @escaping @Sendable () -> Void) {
    guard let actor else { return Self.orphans.async(execute: work) }
    Task.detached { await Self.run(work, on: actor) }
  }

  private static func run(_ work: @Sendable () -> Void, on actor: isolated any Actor) { work() }

  private static let orphanKey = DispatchSpecificKey<Bool>()
  private static let orphans: DispatchQueue = {
    let queue = DispatchQueue(label: "holdfast.orphans")
    queue.setSpecific(key: orphanKey, value: true)
    return queue
  }()
}

/// An executor as the runtime sees it.
struct ExecutorWords: Sendable {
  let identity: UInt
  let implementation: UInt

  /// Whether the caller runs on it. False says nothing where an executor has its own idea of that.
  @inline(__always)
  var isCurrent: Bool { holdfast_is_current_executor(identity, implementation) }
}

extension Scheduler {
  /// Whether this is just a thread, which an actor or a queue may be using for the moment.
  var isThread: Bool { if case .thread = identity { true } else { false } }
}
