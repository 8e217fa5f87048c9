import Foundation
import EngineLab
import Platform
import TestSupport

extension LabProgram {
  /// Operations in the life of one file.
  private static let lifetime = 5000

  /// Lives of files, one seed each, every tenth on a real one; stops at the first disagreement.
  static func model(operations: Int, seed: UInt64) throws {
    let start = Date()
    var total = ModelRun.Counts()
    var next = seed
    while total.operations < operations {
      do {
        let count = min(lifetime, operations - total.operations)
        total += next % 10 == 9 ? try onRealFile(count, next) : try inMemory(count, next)
      } catch {
        print(error)
        exit(1)
      }
      next += 1
      print("\(total), seeds to \(next - 1), \(Int(-start.timeIntervalSinceNow)) s")
      fflush(nil)
    }
  }

  private static func inMemory(_ operations: Int, _ seed: UInt64) throws -> ModelRun.Counts {
    let system = SimulatedSystem()
    system.recordsCalls = false
    let run = try ModelRun(ModelRun.Settings(seed: seed), path: "/model.realm", system: system)
    try run.run(operations: operations)
    return run.counts
  }

  private static func onRealFile(_ operations: Int, _ seed: UInt64) throws -> ModelRun.Counts {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("lab-model-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let run = try ModelRun(
      ModelRun.Settings(seed: seed), path: directory.appendingPathComponent("a.realm").path,
      system: PosixSystem.shared)
    try run.run(operations: operations)
    return run.counts
  }
}
