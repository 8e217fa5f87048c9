import Dispatch
import Platform
import TestSupport

/// Many schedules, in processes of a few thousand each, as many at once as there are processors.
public final class SimulationRun: Sendable {
  private struct State {
    var nextSeed: UInt64
    var sum = SimulationSum()
    var findings: [String] = []
  }

  private let end: UInt64
  private let batchSize: UInt64
  /// The run ends early when it has found so much.
  private let findingsMax: Int
  private let state: LockedValue<State>
  private let report: @Sendable (String) -> Void

  /// `report` hears of findings, and of how far the run is.
  public init(
    count: Int, firstSeed: UInt64, batchSize: Int = 2000, findingsMax: Int = 1000,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    end = firstSeed + UInt64(count)
    self.batchSize = UInt64(batchSize)
    self.findingsMax = findingsMax
    self.report = report
    state = LockedValue(State(nextSeed: firstSeed))
  }

  public var findings: [String] { state.withLock { $0.findings } }
  public var sum: SimulationSum { state.withLock { $0.sum } }

  public func run(processes: Int) {
    DispatchQueue.concurrentPerform(iterations: processes) { processor in
      while let (seed, count) = takeBatch() { run(count, from: seed, on: processor) }
    }
  }

  private func takeBatch() -> (seed: UInt64, count: UInt64)? {
    state.withLock { state in
      guard state.nextSeed < end, state.findings.count < findingsMax else { return nil }
      let seed = state.nextSeed
      state.nextSeed = min(end, seed + batchSize)
      return (seed, state.nextSeed - seed)
    }
  }

  /// A process that ends before its time has found something too; the rest is for another one.
  private func run(_ count: UInt64, from first: UInt64, on processor: Int) {
    var next = first
    while next < first + count {
      var seed = next
      do throws(ChildProcess.Failure) {
        // Order in sets must be the same when a seed is repeated.
        let child = try ChildProcess(
          prefix: Processors.commandToStay(onNumber: processor) + [
            "/usr/bin/env", "SWIFT_DETERMINISTIC_HASHING=1",
          ],
          program: "SimulatorProgram",
          ["batch", "\(first + count - next)", "\(next)"])
        while let sum = try hear(child.readLine(seconds: 120), &seed) {
          if isOver { return }
          if sum.schedules == 0 { continue }
          state.withLock { $0.sum.add(sum) }
          report("\(self.sum), \(findings.count) bad")
          return
        }
      } catch {
        found("seed \(seed): \(error)")
        next = seed + 1
      }
    }
  }

  private var isOver: Bool { state.withLock { $0.findings.count >= findingsMax } }

  /// The sum at the end, an empty one before.
  private func hear(_ line: String, _ seed: inout UInt64) -> SimulationSum? {
    let text = line.drop { $0 != " " }.dropFirst()
    if line.hasPrefix("seed ") {
      seed = UInt64(text) ?? seed
    } else if line.hasPrefix("finding ") {
      found("seed \(seed): \(text)")
    } else if line.hasPrefix("sum ") {
      return SimulationSum(encoded: text)
    }
    return SimulationSum()
  }

  private func found(_ finding: String) {
    state.withLock { $0.findings.append(finding) }
    report(finding)
  }
}
