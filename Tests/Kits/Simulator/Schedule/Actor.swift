import Coordination
import Platform
import Storage
import TestSupport

/// A thread of a process that opens the file, reads and writes at random, and closes it again.
final class Actor {
  let simulation: Simulation
  let process: SimulatedProcess
  let slot: Int
  var random: SeededGenerator
  /// What this actor has pinned, with the commits that it found there.
  var held: [Held] = []

  struct Held {
    var snapshot: Snapshot
    var number: Int
    var history: FileHistory
    /// How often pages had been dropped when it was pinned, if it was not durable yet. A version
    /// that is not may lose its nodes when a flush fails.
    var dropsBefore: Int?

    /// - Parameter drops: How often pages had been dropped before it was pinned. Once they have
    ///   been dropped, a later version that is durable says nothing of this one's nodes. Where
    ///   nobody was told of the last time, that may have been before this version was pinned.
    init(_ snapshot: Snapshot, _ number: Int, _ history: FileHistory, drops: Int) {
      (self.snapshot, self.number, self.history) = (snapshot, number, history)
      let isDurable =
        drops == history.drops && snapshot.database.durableVersion >= snapshot.version
      dropsBefore = isDurable ? nil : history.isFailureUnknown ? drops - 1 : drops
    }

    var isDoubtful: Bool { dropsBefore.map { $0 < history.drops } ?? false }
  }

  /// A property, since a local variable may be released before the end of its scope.
  var database: Database?

  var machine: SimulatedMachine { simulation.machine }
  var plan: Plan { simulation.plan }

  init(_ simulation: Simulation, _ process: SimulatedProcess, slot: Int, seed: UInt64) {
    self.simulation = simulation
    self.process = process
    self.slot = slot
    random = SeededGenerator(seed: seed)
    // What it holds may not be released when its process has been killed.
    _ = unsafe Unmanaged.passRetained(self)
  }

  func run() {
    while machine.findings.isEmpty, simulation.takeSession(slot) { session() }
    linger()
  }

  /// Processes often outlive their use of a file, so that their threads come to an end.
  private func linger() {
    if random.below(4) != 0 { process.pause(nanoseconds: 4_000_000_000) }
  }

  private func session() {
    guard let history = open() else { return }
    for _ in 0..<1 + random.below(plan.operationsPerSession) {
      guard machine.findings.isEmpty, let database else { break }
      machine.lastProgress = machine.clock
      do throws(StorageError) {
        try operation(database, history)
      } catch {
        tolerate(error, history)
        if error.code == .poisoned || error.code == .closed { break }
      }
      if random.below(6) == 0 { process.pause(nanoseconds: UInt64(random.below(400_000_000))) }
    }
    for held in held { released(held.snapshot) }
    held = []
    let closing = history.closing(process)
    let isReader = database?.options.readOnly ?? true
    inside { database = nil }
    if !hasOpen(history) { history.hasClosed(process) }
    if mayRelyOnClose, !isReader, !hasOpen(history) { history.closed(closing) }
  }

  private func released(_ snapshot: Snapshot) { inside { snapshot.release() } }

  /// Whether something in the background, such as a commit to come, still keeps the file open.
  private func hasOpen(_ history: FileHistory) -> Bool {
    process.descriptions.contains { simulation.history(of: $0.inode.number) === history }
  }

  /// Whether nothing keeps a close from flushing, and nobody else of the process has the file open.
  private var mayRelyOnClose: Bool {
    plan.machine.fullDiskEvery == 0 && plan.machine.otherFaultEvery == 0 && !plan.isInMemory
      && machine.threads.filter { $0.isActor && $0.process === process }.count == 1
  }

  /// The process is in a call of the database.
  @discardableResult
  func inside<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
    process.callsInside += 1
    defer {
      process.callsInside -= 1
      machine.lastProgress = machine.clock
    }
    return try body()
  }

  // MARK: Opening

  var options: DatabaseOptions {
    var options = DatabaseOptions()
    options.durability = plan.durabilities[random.below(plan.durabilities.count)]
    options.encryptionKey = plan.key
    options.compactsInBackground = plan.compactsInBackground
    options.mappingReservation = plan.mappingReservation
    return options
  }

  /// Opens the file as `database`.
  func open(mayRead: Bool = true) -> FileHistory? {
    for _ in 0..<4 {
      var options = self.options
      options.readOnly = mayRead && plan.hasReaders && random.below(2) == 0
      let expected = simulation.historyAtPath
      expected?.join(process)
      do throws(StorageError) {
        let database = try inside { () throws(StorageError) in
          try Database.open(path: Simulation.path, options: options, system: process)
        }
        let history = simulation.history(of: database.fileIdentity.inode)
        if history !== expected {
          expected?.leave(process)
          history.join(process)
        }
        for description in descriptions(of: database) {
          // A reader that was alone has settled nothing.
          if let step = description.wasAloneAt, !options.readOnly {
            history.openedAlone(at: step)
          }
          description.wasAloneAt = nil
          requirePath(description)
        }
        do throws(StorageError) {
          try read(database, history)
          if plan.compactsOnLaunch, !plan.isInMemory, !options.readOnly {
            _ = try inside { () throws(StorageError) in try database.compact() }
          }
        } catch { tolerate(error, history) }
        self.database = database
        return history
      } catch {
        expected?.leave(process)
        tolerate(error, expected)
        process.pause(nanoseconds: 50_000_000)
      }
    }
    return nil
  }

  private func descriptions(of database: Database) -> [SimulatedDescription] {
    let number = database.fileIdentity.inode
    return process.descriptions.filter {
      $0.inode.number == number && $0.path == Simulation.path
    }
  }

  /// Whoever joins a session does so while the path leads to the file.
  private func requirePath(_ description: SimulatedDescription) {
    let inode = description.inode
    if let joined = description.lockedAt[LockFileLayout.sessionByte], inode.orphanedAt < joined {
      machine.report(
        "\(process.name) joined the session of #\(inode.number), which had no name any more")
    }
  }

  // MARK: Errors

  func tolerate(_ error: StorageError, _ history: FileHistory?) {
    machine.trace("error: \(error)")
    if !isExpected(error, history) { report("got \(error)") }
  }

  func report(_ finding: String) {
    guard !simulation.isNothingPromised else { return }
    machine.report("\(machine.current?.name ?? ""): \(finding)")
  }

  private func isExpected(_ error: StorageError, _ history: FileHistory?) -> Bool {
    switch error.code {
    case .outOfDiskSpace: plan.machine.fullDiskEvery > 0
    case .inputOutput: plan.machine.failedFlushEvery > 0 || plan.machine.otherFaultEvery > 0
    case .poisoned:
      plan.machine.failedFlushEvery > 0 || plan.machine.fullDiskEvery > 0
        || plan.machine.otherFaultEvery > 0
    case .incompatibleLockFile:
      plan.lockFileDeletionsMax > 0 || plan.replacementsMax > 0 || plan.stopsMax > 0
    case .corrupt: history?.mayGiveUp == true
    case .fileNotFound: plan.replacementsMax > 0 || plan.hasReaders
    // A reader makes no file of one that is empty.
    case .notADatabase: plan.hasReaders
    // A process that is stopped while it closes the file may keep others out.
    case .inUse: plan.stopsMax > 0
    default: false
    }
  }
}
