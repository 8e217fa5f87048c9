import Foundation
import Testing

/// Devices see what they ask for, whatever happens meanwhile.
@Suite struct ViewTests {
  /// `VIEW_SEEDS=100..<200` runs others, one after the other.
  static let seeds: [UInt64] = {
    let text = ProcessInfo.processInfo.environment["VIEW_SEEDS"] ?? ""
    let bounds = text.components(separatedBy: "..<").compactMap { UInt64($0) }
    return bounds.count == 2 ? Array(bounds[0]..<bounds[1]) : [2, 3]
  }()

  @Test(arguments: seeds)
  func eachDeviceHasWhatItAsksForAndNoMore(seed: UInt64) async throws {
    let problem = try await ViewRun(seed: seed).run(rounds: 8, steps: 40)
    #expect(problem == nil, "seed \(seed)")
  }
}
