import Foundation
import EngineLab
import Testing
import RealmLab

@Suite struct AllSchedulersTests {
  /// For so long as `HOLDFAST_SCHEDULER_SECONDS` says.
  @Test func `threads, queues and actors share one file`() async throws {
    let variable = ProcessInfo.processInfo.environment["HOLDFAST_SCHEDULER_SECONDS"]
    let seconds = variable.flatMap { Int($0) } ?? 3
    let report = try await onOwnThread {
      try AllSchedulers(seconds: seconds, seed: 20_261_122).run()
    }
    report.show()
    #expect(report.findings == [])
  }
}
