import Platform
import TestSupport
import EngineLab
import Testing

@testable import Storage

/// Files whose making is cut short.
@Suite struct CreationTests {
  private static let path = "/data.realm"

  private static var options: DatabaseOptions {
    var options = DatabaseOptions()
    options.durability = .strict
    options.compactsInBackground = false
    options.mappingReservation = 1 << 20
    return options
  }

  /// What a power loss leaves that destroys every block that was being written; nil where the file
  /// is whole.
  private static func worst(_ plan: CrashPlan) -> [UInt8]? {
    if plan.operations.isEmpty { return nil }
    var image = plan.everything()
    for sector in plan.sectors {
      let block = sector.offset / CrashPlan.blockSize * CrashPlan.blockSize
      for offset in block..<min(block + CrashPlan.blockSize, image.count) { image[offset] = 0xAB }
    }
    return image
  }

  /// Opens the file, and says what a power loss at any moment of that could leave.
  private static func open(_ image: [UInt8]) throws -> [[UInt8]] {
    let system = SimulatedSystem()
    system.recordsCalls = false
    if !image.isEmpty { system.install(image, at: path) }
    let moments = LockedValue<[CrashPlan]>([])
    system.observer = { system, changed in
      guard changed == path else { return }
      let plan = system.pendingLocked(of: path)
      moments.withLock { $0.append(plan) }
    }
    let database = try Database.open(path: path, options: options, system: system)
    #expect(database.newestVersion == 1)
    return moments.withLock { $0 }.compactMap(worst)
  }

  @Test func `a file is made in the end, however often its making is cut short`() throws {
    var images: [[UInt8]] = [[]]
    for _ in 0..<3 {
      var left: [[UInt8]] = []
      for image in images { left += try Self.open(image) }
      images = Array(Set(left))
      #expect(!images.isEmpty)
    }
    for image in images { _ = try Self.open(image) }
  }
}
