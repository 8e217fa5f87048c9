import Dispatch
import Foundation
import LoopThread

// A program whose main thread runs a UVLoop. The tests start it and look at what it prints and at
// how it ends.

@MainActor final class Steps {
  private(set) var taken: [String] = []
  func take(_ step: String) {
    precondition(Thread.isMainThread, "\(step) ran on another thread")
    taken.append(step)
  }
}

let loop = UVLoop()
let steps = Steps()

Task { @MainActor in
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
