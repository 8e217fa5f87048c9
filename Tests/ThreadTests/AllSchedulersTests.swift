import Foundation
import EngineLab
import Testing
import RealmLab

@Suite(.serialized) struct AllSchedulersTests {
  /// For so long as `HOLDFAST_SCHEDULER_SECONDS` says.
  @Test(arguments: [false, true])
  func `threads, queues and actors share one file`(isEncrypted: Bool) async throws {
    let variable = ProcessInfo.processInfo.environment["HOLDFAST_SCHEDULER_SECONDS"]
    let seconds = variable.flatMap { Int($0) } ?? 2
    let report = try await onOwnThread {
      try AllSchedulers(seconds: seconds, seed: 20_261_122, isEncrypted: isEncrypted).run()
    }
    report.show()
    #expect(report.findings == [])
  }
}
