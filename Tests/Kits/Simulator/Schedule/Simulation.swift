import Coordination
import Platform
import TestSupport
import Storage

/// One schedule: some processes that use a file of a simulated machine, what befalls them, and what
/// an oracle finds wrong with it. Everything follows from the seed.
public final class Simulation {
  public struct Outcome: Hashable, Sendable {
    public var findings: [String] = []
    public var steps = 0
    public var commits = 0
    public var reads = 0
    public var kills = 0
    public var powerLosses = 0
    /// Under which circumstances it ran, for whoever reads a finding.
    public var circumstances = ""
  }

  let seed: UInt64
  let plan: Plan
  let machine: SimulatedMachine
  var outcome = Outcome()
  private var random: SeededGenerator
  private var histories: [UInt64: FileHistory] = [:]
  /// How many more times each process opens the file.
  private var sessionsLeft: [Int]
  private var slots: [Int: Int] = [:]
  private var lives = 0
  private var isWindingUp = false
  /// A process was killed before its word of a failed flush, and `strict`, which writes nothing
  /// twice, may take what that has left for durable, build on it, and use what was before again.
  private(set) var isNothingPromised = false
  static let path = "/data.realm"

  public init(
    seed: UInt64, workers: SimulationWorkers, disks: Disks = .withDestroyedBlocks,
    tracer: ((String) -> Void)? = nil
  ) {
    self.seed = seed
    plan = Plan(seed: seed, disks: disks)
    machine = SimulatedMachine(seed: seed, settings: plan.machine, pool: workers.pool)
    machine.tracer = tracer
    random = SeededGenerator(seed: seed ^ 0xAC70)
    sessionsLeft = Array(repeating: plan.sessionsPerProcess, count: plan.processCount)
  }

  public typealias Disks = Plan.Disks

  public func run() -> Outcome {
    machine.trace("\(plan)")
    machine.onEnd = { [unowned self] in ended($0, wasKilled: $1) }
    machine.onBoot = { [unowned self] in booted(isClean: $0) }
    machine.onDroppedPages = { [unowned self] in
      history(of: $0.number).droppedPages(at: machine.step)
    }
    machine.onFailedFlush = { [unowned self] in history(of: $0.number).failedFlushes += 1 }
    machine.onSilentFailure = { [unowned self] in
      history(of: $0.number).lostWordOfFailure()
      if plan.durabilities.contains(.strict) { isNothingPromised = true }
    }
    machine.onSlot = { [unowned self] inode, place, version in
      guard keepsSlotRules else { return }
      let objection = SlotRules(inode: inode).objection(toWriting: version, at: place)
      if let objection { machine.report("\(machine.current?.name ?? ""): \(objection)") }
    }
    machine.onUntoldDeath = { [unowned self] in
      switch random.below(6) {
      case 0: killAllSoon()
      case 1...2: losePowerSoon()
      default: break
      }
    }
    machine.onRestart = { [unowned self] in restarted() }
    machine.onUnlock = { [unowned self] inode in
      if plan.isInMemory, inode.locks[LockFileLayout.sessionByte]?.isEmpty == true {
        history(of: inode.number).emptied()
      }
    }
    machine.onActorEnd = { [unowned self] in actorEnded($0) }
    machine.onCall = { [unowned self] in called($0, by: $1) }
    if random.below(2) == 0 { installNewFile() }
    for slot in 0..<plan.processCount { spawn(slot) }
    planEvent()
    machine.run()
    windUp()
    outcome.findings = machine.findings
    outcome.steps = machine.step
    outcome.circumstances = circumstances
    machine.dispose()
    histories = [:]
    return outcome
  }

  private var circumstances: String {
    let events = happened.filter { $0.key != .timePasses && $0.value > 0 }
      .map { "\($0.value) \($0.key)" }.sorted()
    let faults = machine.faults.filter { $0.value > 0 }.map { "\($0.value) \($0.key)" }.sorted()
    let durabilities = plan.durabilities.map { "\($0)" }
    return (durabilities + events + faults + (plan.compactsOnLaunch ? ["compacting"] : []))
      .joined(separator: ", ")
  }

  /// Not where nothing is for the disk, nor for `strict`, which writes nothing twice, when flushes
  /// fail.
  var keepsSlotRules: Bool {
    !plan.isInMemory
      && (!plan.durabilities.contains(.strict) || plan.machine.failedFlushEvery == 0)
  }

  func history(of inode: UInt64) -> FileHistory {
    if let known = histories[inode] { return known }
    let new = FileHistory(name: "#\(inode)") { [unowned machine] in machine.trace($0) }
    histories[inode] = new
    return new
  }

  /// What is known of the file that has the path now.
  var historyAtPath: FileHistory? { machine.names[Self.path].map { history(of: $0.number) } }

  private func installNewFile() { _ = machine.install(NewFile.bytes(plan.key), at: Self.path) }

  // MARK: Processes

  private func spawn(_ slot: Int) {
    guard sessionsLeft[slot] > 0 else { return }
    lives += 1
    let process = machine.makeProcess("P\(slot)")
    slots[process.number] = slot
    for _ in 0..<(random.below(4) == 0 ? 2 : 1) {
      let actor = Actor(self, process, slot: slot, seed: random.next())
      process.start("actor", isActor: true) { actor.run() }
    }
  }

  func takeSession(_ slot: Int) -> Bool {
    guard sessionsLeft[slot] > 0 else { return false }
    sessionsLeft[slot] -= 1
    return true
  }

  private func ended(_ process: SimulatedProcess, wasKilled: Bool) {
    for history in histories.values { history.leave(process) }
    if wasKilled, let slot = slots[process.number] {
      let delay = UInt64(random.below(2_000_000))
      machine.plan(afterNanoseconds: delay, isAwaited: true) { [unowned self] in
        if !isWindingUp { spawn(slot) }
      }
    }
  }

  /// A process ends with the last of its actors.
  private func actorEnded(_ process: SimulatedProcess) {
    guard !machine.threads.contains(where: { $0.isActor && $0.process === process }) else { return }
    machine.end(process)
  }

  private func booted(isClean: Bool) {
    if !isClean {
      outcome.powerLosses += 1
      machine.trace("durable: \(histories.map { "#\($0): \($1.durable) visible \($1.visible)" })")
    }
    for history in histories.values { history.lostPower() }
    beginAgain()
  }

  private func restarted() {
    for history in histories.values { history.restarted() }
    beginAgain()
    losePowerSoon()
  }

  private func beginAgain() {
    guard !isWindingUp else { return }
    for slot in 0..<plan.processCount { spawn(slot) }
    planEvent()
  }

  // MARK: Events

  private enum Event: CaseIterable {
    case kill, stop, powerLoss, shutdown, replacement, lockFileDeletion, timePasses, rereading
    case restart
  }

  private func planEvent() {
    let delay = 1 + random.below(2 * plan.stepsBetweenEvents)
    machine.plan(at: machine.step + delay) { [unowned self] in
      guard !isWindingUp else { return }
      planEvent()
      if plan.callBeforeEvents == nil { befall() } else { isEventDue = true }
    }
  }

  private var isEventDue = false

  private func called(_ call: SystemCall, by process: SimulatedProcess) {
    guard isEventDue, call == plan.callBeforeEvents, !isWindingUp else { return }
    isEventDue = false
    let choice = random.below(4)
    machine.plan(at: machine.step + 1 + random.below(40)) { [unowned self] in
      guard !isWindingUp else { return }
      switch choice {
      case 0...1 where !process.isDead: befall(.kill, process)
      case 2: befall(.rereading, nil)
      default: befall()
      }
    }
  }

  /// Within about the time that others take to open the file and to write.
  private func losePowerSoon() {
    guard plan.losesPowerSoonAfterDeaths, random.below(3) > 0 else { return }
    let delay = 1 + random.below([300, 1000, 3000][random.below(3)])
    machine.plan(at: machine.step + delay) { [unowned self] in
      if !isWindingUp { befall(.powerLoss, nil) }
    }
  }

  /// Whoever opens the file next finds what only the page cache may have.
  private func killAllSoon() {
    guard plan.losesPowerSoonAfterDeaths else { return }
    machine.plan(at: machine.step + 1 + random.below(1000)) { [unowned self] in
      guard !isWindingUp else { return }
      for process in machine.processes where !process.isDead {
        outcome.kills += 1
        machine.kill(process)
      }
    }
  }

  private var happened: [Event: Int] = [:]

  private func isLeft(_ event: Event, of max: Int) -> Bool { happened[event, default: 0] < max }

  private func befall() {
    // Schedules without restarts choose among the others.
    let count = Event.allCases.count - (plan.restartsMax > 0 ? 0 : 1)
    let event = Event.allCases[random.below(count)]
    befall(event, machine.processes.randomElement(using: &random))
  }

  private func befall(_ event: Event, _ target: SimulatedProcess?) {
    let max = budget(event)
    guard isLeft(event, of: max) else { return }
    happened[event, default: 0] += 1
    switch event {
    case .kill:
      guard let target else { return }
      outcome.kills += 1
      machine.kill(target)
    case .stop:
      guard let target else { return }
      machine.stop(target, nanoseconds: UInt64(1 + random.below(20)) * 1_000_000_000)
    case .powerLoss: machine.losePower()
    case .restart: machine.restartContainer()
    case .shutdown: machine.shutDown()
    case .replacement: replace()
    case .lockFileDeletion: machine.replace(Self.path + ".lock", by: nil)
    case .timePasses: machine.clock += UInt64(random.below(900)) * 1_000_000
    case .rereading:
      for inode in machine.inodes where !inode.droppedPages.isEmpty { machine.evict(inode) }
    }
  }

  private func budget(_ event: Event) -> Int {
    switch event {
    case .kill: plan.killsMax
    case .stop: plan.stopsMax
    case .powerLoss: plan.powerLossesMax
    // Only when nobody runs: a shutdown ends processes in good order.
    case .shutdown: machine.threads.contains { $0.isActor } ? 0 : 1
    case .replacement: plan.replacementsMax
    case .lockFileDeletion: plan.lockFileDeletionsMax
    case .timePasses: 20
    case .rereading: 20
    case .restart: plan.restartsMax
    }
  }

  private func replace() {
    if random.below(3) == 0 {
      machine.trace("the path is deleted")
      machine.replace(Self.path, by: nil)
      machine.durableNames[Self.path] = nil
    } else {
      machine.trace("another file is renamed over the path")
      installNewFile()
    }
  }

  // MARK: The end

  /// After everybody has gone: what is there must be whole, and what must survive must be there.
  private func windUp() {
    isWindingUp = true
    guard machine.findings.isEmpty else { return }
    machine.settings = MachineSettings()
    machine.settings.tearsBlocks = plan.machine.tearsBlocks
    for process in machine.processes { machine.kill(process) }
    switch random.below(4) {
    case 0: machine.losePower()
    case 1: machine.shutDown()
    default: break
    }
    guard machine.names[Self.path] != nil else { return }
    let process = machine.makeProcess("end")
    let actor = Actor(self, process, slot: 0, seed: random.next())
    process.start("actor", isActor: true) { actor.inspect() }
    machine.lastProgress = machine.clock
    machine.run()
  }
}

/// The real threads on which simulations run, one simulation at a time.
public final class SimulationWorkers {
  let pool = WorkerPool()

  /// Makes what schedules share before the first of them, whose steps it would add to.
  public init() { _ = (NewFile.bytes(nil), NewFile.bytes(NewFile.key)) }
}

/// The bytes of a file that has just been made.
enum NewFile {
  /// That of encrypted files.
  static let key = EncryptionKey(repeatElement(7, count: 64))

  private static let plain = make(nil)
  private static let encrypted = make(key)

  static func bytes(_ key: EncryptionKey?) -> [UInt8] { key == nil ? plain : encrypted }

  private static func make(_ key: EncryptionKey?) -> [UInt8] {
    let system = SimulatedSystem()
    var options = DatabaseOptions()
    options.encryptionKey = key
    do {
      _ = try Database.open(path: Simulation.path, options: options, system: system)
    } catch {
      preconditionFailure("a new file could not be made: \(error)")
    }
    return system.contents(of: Simulation.path)
  }
}
