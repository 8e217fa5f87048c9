import Platform
import TestSupport

/// A machine on which processes run production code: one disk, one page cache, one clock, one set
/// of path names and byte locks. One thread runs at a time, and at every system call and every
/// access to shared memory a scheduler, whose choices follow from a seed, decides which one goes
/// on.
///
/// The scheduler also lets processes be killed or stopped, the machine lose power, and names be
/// given to other files (`SimulatedMachine+Events`); `MachineFaults` says which calls fail.
final class SimulatedMachine: @unchecked Sendable {
  // Sendable: whoever has the baton touches it, and passing the baton orders the accesses.

  let pool: WorkerPool
  var random: SeededGenerator
  var settings: MachineSettings
  /// Nanoseconds since the first boot.
  var clock: UInt64 = 1_000_000_000_000
  var boot: UInt64 = 1
  /// Counts what the threads have done; events are planned by it.
  var step = 0
  var current: SimulatedThread?
  let driver = Baton()
  /// Nothing runs any more; what is left of production code may not touch anything.
  var isOver = false
  var findings: [String] = []
  /// Which calls were made to fail, and how often.
  var faults: [String: Int] = [:]

  var threads: [SimulatedThread] = []
  /// Those that have not ended.
  var processes: [SimulatedProcess] = []
  private var processCount = 0
  private var descriptionCount = 0
  var nextSwitch = 0
  /// What happens at a step, or as soon as nothing else can; in order of their steps.
  var agenda: [(step: Int, action: () -> Void)] = []
  var nextAgenda = Int.max
  /// What happens at a time.
  var alarms: [(time: UInt64, isAwaited: Bool, action: () -> Void)] = []
  /// How often in a row only what was planned for a later step could make somebody go on.
  var idleJumps = 0
  /// When something last went on that the schedule waits for.
  var lastProgress: UInt64 = 0 { didSet { lastProgressStep = step } }
  private(set) var lastProgressStep = 0
  /// When a stopped process last went on.
  var lastResumption: UInt64?
  /// Whether no process has been killed or stopped, or has ended in the midst of something, since
  /// the machine booted.
  var isUndisturbed = true

  var inodes: [MachineInode] = []
  var names: [String: MachineInode] = [:]
  /// The names that a power loss would leave.
  var durableNames: [String: MachineInode] = [:]
  var tracer: ((String) -> Void)?
  /// Called when the machine loses power, after the disk has become what is left of it.
  var onBoot: ((_ isClean: Bool) -> Void)?
  /// Processes may begin again, after a restart of the container.
  var onRestart: (() -> Void)?
  var onActorEnd: ((SimulatedProcess) -> Void)?
  /// A process has read from a file or flushed it.
  var onCall: ((SystemCall, SimulatedProcess) -> Void)?
  var onUnlock: ((MachineInode) -> Void)?
  /// The process has ended, in whatever way.
  var onEnd: ((SimulatedProcess, _ wasKilled: Bool) -> Void)?
  var onDroppedPages: ((MachineInode) -> Void)?
  /// A process has been told that a flush of the file failed.
  var onFailedFlush: ((MachineInode) -> Void)?
  /// The process of a failed flush dies before it can tell others.
  var onSilentFailure: ((MachineInode) -> Void)?
  /// A process is about to write the durable slot of a version at a place.
  var onSlot: ((MachineInode, _ place: Int, _ version: UInt64) -> Void)?
  /// A process has died within a call, before it could tell others of it.
  var onUntoldDeath: (() -> Void)?

  init(seed: UInt64, settings: MachineSettings, pool: WorkerPool) {
    random = SeededGenerator(seed: seed)
    self.settings = settings
    self.pool = pool
    lastProgress = clock
  }

  func trace(_ text: @autoclosure () -> String) {
    guard let tracer else { return }
    tracer("\(step) \(current?.name ?? "-"): \(text())")
  }

  func report(_ finding: String) {
    trace("FOUND \(finding)")
    if findings.count < 10 { findings.append("\(finding) [step \(step)]") }
  }

  // MARK: Files

  func makeInode() -> MachineInode {
    let inode = MachineInode(number: UInt64(inodes.count + 1))
    inodes.append(inode)
    return inode
  }

  /// Puts a flushed file at a path, in place of what has the name.
  func install(_ bytes: [UInt8], at path: String) -> MachineInode {
    let inode = makeInode()
    inode.install(bytes)
    replace(path, by: inode)
    durableNames[path] = inode
    return inode
  }

  /// Gives the name to another file, or to none.
  func replace(_ path: String, by inode: MachineInode?) {
    if let old = names[path], old !== inode {
      old.linkCount = 0
      old.orphanedAt = step
    }
    names[path] = inode
    inode?.linkCount = 1
  }

  func makeDescriptionNumber() -> Int {
    descriptionCount += 1
    return descriptionCount
  }

  // MARK: Processes

  func makeProcess(_ name: String) -> SimulatedProcess {
    processCount += 1
    let process = SimulatedProcess(name: name, number: processCount, machine: self)
    // Production code tells systems apart by their addresses, so none is used twice.
    _ = unsafe Unmanaged.passRetained(process)
    processes.append(process)
    return process
  }

  /// Runs until every actor has ended and nothing is planned.
  func run() {
    handOff(from: nil)
    driver.wait()
  }

  /// Ends all that still runs and gives the memory back.
  func dispose() {
    isOver = true
    for process in processes { end(process) }
    for inode in inodes { inode.dispose() }
    (names, durableNames, agenda, alarms, inodes) = ([:], [:], [], [], [])
    (onBoot, onRestart, onEnd, onDroppedPages) = (nil, nil, nil, nil)
    (onActorEnd, onCall) = (nil, nil)
    (onFailedFlush, onSilentFailure, onUntoldDeath) = (nil, nil, nil)
    (onUnlock, onSlot, tracer) = (nil, nil, nil)
  }
}

/// How often the machine does what.
struct MachineSettings {
  /// Steps from one change of the running thread to the next, on average.
  var stepsBetweenSwitches = 20
  /// One in so many writes or allocations finds the disk full; 0 is never.
  var fullDiskEvery = 0
  /// One in so many flushes fails and drops the dirty pages; 0 is never.
  var failedFlushEvery = 0
  /// One in so many processes whose flush has failed is killed in it; 0 is never.
  var deathInFailedFlushEvery = 0
  /// One in so many processes that have written a slot is killed in that call; 0 is never.
  var deathAfterSlotEvery = 0
  /// The same, of a slot of a commit that is not flushed.
  var deathAfterVolatileSlotEvery = 0
  /// One of so many flushes takes longer than others wait for at the end.
  var slowFlushEvery = 0
  /// One in so many reads or calls of other kinds fails; 0 is never.
  var otherFaultEvery = 0
  /// One in so many futex waits returns for no reason; 0 is never.
  var spuriousWakeEvery = 50
  /// A power loss destroys a 4 KiB block that was being written, not only the sectors that change.
  var tearsBlocks = false
}
