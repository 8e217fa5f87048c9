import Foundation
import RealmLab
import Testing

/// Change sets applied to copies of collections, in the documented order: see `ChangeHistories`.
@Suite(.serialized) struct ChangeSetModelTests {
  @Test(
    "change sets reproduce collections and tell exactly what was modified",
    arguments: [false, true])
  func changeSetsReproduceCollections(withProcess: Bool) async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("change set seed \(seed)")
    // A thread of its own: it waits a lot, and others need those of the tests.
    let histories = try await withCheckedThrowingContinuation { done in
      Thread.detachNewThread {
        done.resume(with: Result { try Self.run(seed, withProcess) })
      }
    }
    #expect(histories.findings == [])
    #expect(histories.counts.changeSets > 500)
    #expect(!withProcess || histories.counts.commitsOfOthers > 50)
    print(histories.counts)
  }

  private static func run(_ seed: UInt64, _ withProcess: Bool) throws -> ChangeHistories {
    let histories = try ChangeHistories(seed: seed, withProcess: withProcess)
    try histories.run(histories: 400)
    histories.end()
    return histories
  }
}
