import Foundation
import ObjectStoreLab
import Platform
import SimulatedDisk
import Testing

@Suite struct StoreModelTests {
  /// 15 lives of 1,300 operations: every durability with every size of nodes.
  @Test(arguments: Array(1...15 as ClosedRange<UInt64>))
  func `random operations agree with a model`(seed: UInt64) throws {
    let system = SimulatedSystem()
    system.recordsCalls = false
    let run = try ModelRun(ModelRun.Settings(seed: seed), path: "/model.realm", system: system)
    try run.run(operations: 1300)
    print("model seed \(seed): \(run.counts)")
  }

  @Test(arguments: [101, 102, 103, 104] as [UInt64])
  func `random operations on real files agree with a model`(seed: UInt64) throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("store-model-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appendingPathComponent("model.realm").path
    let run = try ModelRun(
      ModelRun.Settings(seed: seed), path: path, system: PosixSystem.shared)
    try run.run(operations: 500)
    print("model on real files, seed \(seed): \(run.counts)")
  }
}
