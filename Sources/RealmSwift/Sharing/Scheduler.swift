import CRuntime
import Dispatch
import LoopThread
import Synchronization

// Where a realm lives: the thread, queue or loop that may use it, and how work reaches it there.

/// What makes two realms of one configuration share an instance.
enum SchedulerIdentity: Hashable, Sendable {
  case main
  case thread(UInt64)
  case queue(QueueIdentity)
  case loop(ObjectIdentifier)
  case actor(ObjectIdentifier)
  case frozen
}

/// The place that a realm is confined to.
protocol Scheduler: AnyObject, Sendable {
  var identity: SchedulerIdentity { get }
  /// Whether the caller runs there.
  var isCurrent: Bool { get }
  /// A thread that may read without being asked further, or `ReadState.askScheduler`. Asked for
  /// where the realm is opened.
  var thread: UInt64 { get }
  /// Whether work can be handed to it: then its realms refresh by themselves and can be observed.
  var canInvoke: Bool { get }
  /// Whether the place still exists; an actor may be gone before the realm that it held.
  var exists: Bool { get }
  /// Runs the work there, later.
  func invoke(_ work: @escaping @Sendable () -> Void)
  /// Calls the work there before nothing is invoked any more, as long as what this returns is held.
  /// Nil for places that do not end, or that go on elsewhere.
  func whenEnding(_ work: @escaping () -> Void) -> AnyObject?
}

extension Scheduler {
  var exists: Bool { true }
  func whenEnding(_ work: @escaping () -> Void) -> AnyObject? { nil }
}

/// A number that no other thread of the process has or had.
@inline(__always)
func currentThread() -> UInt64 { holdfast_thread_identifier() }

/// A thread without a loop: its realms are refreshed by hand.
final class ThreadScheduler: Scheduler {
  let thread = currentThread()
  var identity: SchedulerIdentity { .thread(thread) }
  var isCurrent: Bool { currentThread() == thread }
  var canInvoke: Bool { false }
  func invoke(_ work: @escaping @Sendable () -> Void) {}
}

/// Which queue one is. On Linux several Swift objects may stand for one queue, as those that
/// `DispatchQueue.main` gives do: the C object is one, and the Swift object's only field.
struct QueueIdentity: Hashable, Sendable {
  private let address: UInt

  init(_ queue: DispatchQueue) {
    let object = unsafe UnsafeRawPointer(Unmanaged.passUnretained(queue).toOpaque())
    address = unsafe object.load(fromByteOffset: 16, as: UInt.self)
  }

  static let main = QueueIdentity(.main)

  /// What queues of one kind share: a table of functions, the C object's first word.
  var functionTable: UInt { unsafe UnsafeRawPointer(bitPattern: address)!.load(as: UInt.self) }
}

/// A serial dispatch queue, whichever thread serves it.
final class QueueScheduler: Scheduler {
  private static let key = DispatchSpecificKey<QueueIdentity>()
  let queue: DispatchQueue
  private let queueIdentity: QueueIdentity

  init(_ queue: DispatchQueue) {
    self.queue = queue
    queueIdentity = QueueIdentity(queue)
    queue.setSpecific(key: Self.key, value: queueIdentity)
  }

  var identity: SchedulerIdentity { .queue(queueIdentity) }
  var thread: UInt64 { ReadState.askScheduler }
  var canInvoke: Bool { true }
  var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == queueIdentity }
  func invoke(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}

/// The thread that runs a libuv loop.
final class LoopScheduler: Scheduler {
  let loop: UVLoop
  let thread: UInt64

  /// Must be made on the loop's thread.
  init(_ loop: UVLoop) {
    self.loop = loop
    thread = currentThread()
  }

  var identity: SchedulerIdentity { .loop(ObjectIdentifier(loop)) }
  var canInvoke: Bool { true }
  var isCurrent: Bool { loop.isCurrent }
  func invoke(_ work: @escaping @Sendable () -> Void) { _ = loop.execute(work) }
  func whenEnding(_ work: @escaping () -> Void) -> AnyObject? { loop.onClose(work) }
}

/// Frozen realms: any thread may read.
final class FrozenScheduler: Scheduler {
  static let shared = FrozenScheduler()
  var identity: SchedulerIdentity { .frozen }
  var thread: UInt64 { ReadState.anyThread }
  var isCurrent: Bool { true }
  var canInvoke: Bool { false }
  func invoke(_ work: @escaping @Sendable () -> Void) {}
}

enum Schedulers {
  /// The scheduler for a realm that is opened here: the given queue, else the thread's loop, the
  /// main queue, or the thread itself.
  static func current(queue: DispatchQueue?) -> any Scheduler {
    if let queue {
      checkSerial(queue)
      return isMain(queue) ? MainScheduler.shared : QueueScheduler(queue)
    }
    // A loop of the main thread drives the main queue: one place, one version.
    if MainScheduler.shared.isCurrent { return MainScheduler.shared }
    if let loop = UVLoop.current { return LoopScheduler(loop) }
    return ThreadScheduler()
  }

  /// Checks that a realm can be confined to the queue.
  static func checkSerial(_ queue: DispatchQueue) {
    if isMain(queue) || isSerial(queue) { return }
    throwRealmException(
      """
      Invalid queue '\(queue.label)' (\(type(of: queue))): Realms can only be confined to serial \
      queues or the main queue.
      """)
  }

  private static func isMain(_ queue: DispatchQueue) -> Bool { QueueIdentity(queue) == .main }

  /// libdispatch cannot be asked what a queue is.
  private static func isSerial(_ queue: DispatchQueue) -> Bool {
    QueueIdentity(queue).functionTable == QueueIdentity(serialQueue).functionTable
  }

  private static let serialQueue = DispatchQueue(label: "holdfast.serial")
}
