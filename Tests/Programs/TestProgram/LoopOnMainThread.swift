import Dispatch
import Foundation
import LoopThread

/// Runs a UVLoop on the main thread and prints where the steps of the main actor, of the main queue
/// and of the loop ran, sorted; each stops the program if it was on another thread.
@MainActor final class LoopOnMainThread {
  private var taken: [String] = []

  static func run() {
    let loop = UVLoop()
    let steps = LoopOnMainThread()
    Task {
      steps.take("main actor")
      try await Task.sleep(for: .milliseconds(1))
      steps.take("main actor after a sleep")
      await Task.detached { await steps.take("from a detached task") }.value
      loop.stop()
    }
    DispatchQueue.main.async { steps.take("main queue") }
    loop.execute { MainActor.assumeIsolated { steps.take("loop") } }
    loop.run()
    loop.close()
    print(steps.taken.sorted().joined(separator: ", "))
  }

  private func take(_ step: String) {
    precondition(Thread.isMainThread, "\(step) ran on another thread")
    taken.append(step)
  }
}
