import CRuntime
import Dispatch
import Foundation
import Platform

/// The main thread and the main dispatch queue, which on Linux may be served by another thread.
final class MainScheduler: Scheduler {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static let shared = MainScheduler()

  private init() {
    // The queue opens a descriptor when it is used first, and ends the program if there is none to
    // be had then: so it is used when the first file is opened, not when something is to be told.
    DispatchQueue.main.async {}
  }

  var identity: SchedulerIdentity { .main }

  /// The main thread may always read; while another thread serves the main queue, it has to ask.
  var thread: UInt64 {
    holdfast_is_main_thread() != 0 ? currentThread() : ReadState.askScheduler
  }

  var canInvoke: Bool { true }

  var isCurrent: Bool {
    holdfast_is_main_thread() != 0 || DispatchQueue.getSpecific(key: Self.key) == true
  }

  private let inbox = MainInbox()

  func invoke(_ work: @escaping @Sendable () -> Void) { inbox.add(work) }
}

/// What is to run on the main thread, or where the main queue is served.
///
/// A block of the main queue that runs the run loop, and waits in it for something, keeps the queue
/// from serving others until it returns; the run loop goes on. A program that never runs the run
/// loop, on the other hand, serves the queue. So both are asked, once each until they answer, and
/// whichever comes first does all that there is.
private final class MainInbox: Sendable {
  private struct State: Sendable {
    var work: [@Sendable () -> Void] = []
    var next = 0
    var isQueueAsked = false
    var isRunLoopAsked = false

    mutating func take() -> (@Sendable () -> Void)? {
      if next == work.count {
        (work, next) = ([], 0)
        return nil
      }
      defer { next += 1 }
      return work[next]
    }
  }

  private let state = LockedValue(State())

  func add(_ work: @escaping @Sendable () -> Void) {
    let (asksQueue, asksRunLoop) = state.withLock { state in
      defer { (state.isQueueAsked, state.isRunLoopAsked) = (true, true) }
      state.work.append(work)
      return (!state.isQueueAsked, !state.isRunLoopAsked)
    }
    if asksQueue {
      DispatchQueue.main.async { [self] in
        state.withLock { $0.isQueueAsked = false }
        drain()
      }
    }
    if asksRunLoop {
      // A timer, which wakes a run loop that sleeps; blocks that it is to perform do not.
      let timer = Timer(timeInterval: 0, repeats: false) { [self] _ in
        state.withLock { $0.isRunLoopAsked = false }
        drain()
      }
      RunLoop.main.add(timer, forMode: .common)
    }
  }

  /// Runs what has come until now. What comes meanwhile has asked again.
  private func drain() {
    let end = state.withLock { $0.work.count - $0.next }
    for _ in 0..<end {
      guard let work = state.withLock({ $0.take() }) else { return }
      work()
    }
  }
}
