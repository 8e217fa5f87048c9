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

  // MARK: After a failed flush

  private static func made(key: EncryptionKey?) throws -> [UInt8] {
    let system = SimulatedSystem()
    var options = options
    options.encryptionKey = key
    _ = try Database.open(path: path, options: options, system: system)
    return system.contents(of: path)
  }

  private static let keys = [nil, EncryptionKey([UInt8](repeating: 7, count: 64))]

  private static func opened(_ image: [UInt8], key: EncryptionKey?) throws -> Version {
    let system = SimulatedSystem()
    system.install(image, at: path)
    var options = options
    options.encryptionKey = key
    let database = try Database.open(path: path, options: options, system: system)
    #expect(try database.verify().findings.isEmpty)
    return database.newestVersion
  }

  @Test(arguments: keys) func `a new file of which a power loss left the slot alone is made anew`(
    key: EncryptionKey?
  ) throws {
    var image = try Self.made(key: key)
    for offset in FileLayout.firstNode..<image.count { image[offset] = 0 }
    #expect(try Self.opened(image, key: key) == 1)
  }

  @Test(arguments: keys) func `what is left of two attempts to make a file is made anew`(
    key: EncryptionKey?
  ) throws {
    let first = try Self.made(key: key)
    let second = try Self.made(key: key)
    let sector = CrashPlan.sectorSize
    for cut in stride(from: sector, to: FileLayout.firstNode + 2 * sector, by: sector) {
      #expect(try Self.opened(Array(first[..<cut] + second[cut...]), key: key) == 1)
    }
  }

  @Test(arguments: keys) func `a file that has held a commit is not made anew when it is damaged`(
    key: EncryptionKey?
  ) throws {
    let system = SimulatedSystem()
    var options = Self.options
    options.encryptionKey = key
    let database = try Database.open(path: Self.path, options: options, system: system)
    let transaction = try database.beginWrite()
    transaction.root = transaction.writer.make(kind: LeafModel.rootKind, dataSize: 64).reference
    _ = try transaction.commit()
    var image = system.contents(of: Self.path)
    for offset in FileLayout.firstNode..<image.count { image[offset] = 0 }
    #expect {
      try Self.opened(image, key: key)
    } throws: { error in
      (error as? StorageError)?.code == .corrupt
    }
  }

  @Test(arguments: 0..<2) func `what a failed attempt left is gone for certain before the next`(
    failing: Int
  ) throws {
    let system = SimulatedSystem()
    system.faults.failingCall = failing
    system.faults.kinds = [.fdatasync]
    #expect(throws: StorageError.self) {
      try Database.open(path: Self.path, options: Self.options, system: system)
    }
    #expect(system.faults.fired == 1)
    system.faults = FaultPlan()
    let flushesBefore = system.flushCount
    let flushesAtFirstWrite = LockedValue<Int?>(nil)
    system.observer = { system, changed in
      guard changed == Self.path,
        case .write? = system.pendingLocked(of: Self.path).operations.last
      else { return }
      flushesAtFirstWrite.withLock { $0 = $0 ?? system.flushCount }
    }
    _ = try Database.open(path: Self.path, options: Self.options, system: system)
    #expect(flushesAtFirstWrite.withLock { $0 } == flushesBefore + 1)
  }
}
