import Coordination
import Platform

/// A process of a simulated machine, as its code sees the machine.
final class SimulatedProcess: System, @unchecked Sendable {
  // Sendable: whoever has the baton touches it, and passing the baton orders the accesses.

  let name: String
  /// Unlike its address, no other process of the machine ever has this.
  let number: Int
  unowned let machine: SimulatedMachine
  var isDead = false
  var isStopped = false
  /// How many of its threads are in a call of the database, or in a job of its.
  var callsInside = 0
  var descriptions: [SimulatedDescription] = []
  /// The file whose flush has just failed, and the thread that was told. Before its next call that
  /// thread has passed it on; one that opens the file does so once it has taken back its slot.
  var untoldFailure: (inode: MachineInode, thread: SimulatedThread?)?
  private var threadCount = 0

  init(name: String, number: Int, machine: SimulatedMachine) {
    self.name = name
    self.number = number
    self.machine = machine
  }

  func start(_ name: String, isActor: Bool = false, _ body: @escaping () -> Void) {
    threadCount += 1
    let thread = SimulatedThread(
      "\(self.name).\(threadCount)\(name)", of: self, isActor: isActor, body: body)
    machine.threads.append(thread)
  }

  /// Comes before each system call.
  func enter(_ call: SystemCall, _ detail: @autoclosure () -> String) throws(SystemError) {
    if let failure = untoldFailure, failure.thread === machine.current, !isOpening(failure.inode) {
      untoldFailure = nil
    }
    machine.point(.call(call))
    guard !machine.isOver, !isDead else {
      throw SystemError(call: call, path: name, code: 3)
    }
    machine.trace("\(call.rawValue) \(detail())")
  }

  private func isOpening(_ inode: MachineInode) -> Bool {
    descriptions.contains {
      $0.inode === inode && $0.lockedAt[LockFileLayout.openingByte] != nil
    }
  }

  // MARK: Files

  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    try enter(.open, path)
    if case .createNew = mode, machine.names[path] != nil {
      throw SystemError(call: .open, path: path, code: 17)
    }
    if let inode = machine.names[path] { return open(inode, path) }
    switch mode {
    case .create, .createNew: break
    default: throw SystemError(call: .open, path: path, code: 2)
    }
    let inode = machine.makeInode()
    machine.replace(path, by: inode)
    return open(inode, path)
  }

  private func open(_ inode: MachineInode, _ path: String) -> SimulatedDescription {
    let description = SimulatedDescription(process: self, inode: inode, path: path)
    descriptions.append(description)
    return description
  }

  func removeFile(path: String) throws(SystemError) {
    try enter(.remove, path)
    machine.replace(path, by: nil)
  }

  func renameFile(from: String, to: String) throws(SystemError) {
    try enter(.rename, "\(from) to \(to)")
    guard let inode = machine.names[from] else {
      throw SystemError(call: .rename, path: from, code: 2)
    }
    machine.names[from] = nil
    machine.replace(to, by: inode)
  }

  func fileExists(path: String) -> Bool {
    machine.point(.other)
    return machine.names[path] != nil
  }

  func identity(ofFileAt path: String) throws(SystemError) -> FileIdentity? {
    try enter(.stat, path)
    return machine.names[path].map { FileIdentity(device: 1, inode: $0.number) }
  }

  func synchronizeDirectory(containing path: String) throws(SystemError) {
    try enter(.synchronizeDirectory, path)
    machine.durableNames = machine.names
  }

  func bootIdentifier() -> BootIdentifier {
    BootIdentifier(high: 0x51_4D, low: machine.boot)
  }

  // MARK: Threads and time

  func wait(
    on word: UnsafeMutableRawPointer, while expected: UInt32, timeout: UInt64?
  ) -> Bool {
    machine.point(.other)
    guard !machine.isOver, unsafe word.load(as: UInt32.self) == expected else { return true }
    let every = machine.settings.spuriousWakeEvery
    if every > 0, machine.random.below(every) == 0 { return true }
    machine.trace("sleeps")
    machine.block(
      .futex(UInt(bitPattern: word)), until: timeout.map { machine.clock + $0 })
    return !(machine.current?.wasOverdue ?? false)
  }

  @discardableResult
  func wake(_ word: UnsafeMutableRawPointer, count: Int32) -> Int {
    machine.point(.other)
    let address = UInt(bitPattern: word)
    var sleepers = machine.threads.filter { $0.state == .futex(address) }
    var woken = 0
    while woken < Int(count), !sleepers.isEmpty {
      machine.makeReady(sleepers.remove(at: machine.random.below(sleepers.count)))
      woken += 1
    }
    machine.trace("wakes \(woken)")
    return woken
  }

  func startThread(
    name: String, _ run: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    try enter(.thread, name)
    start(name, run)
  }

  func makeQueue(label: String) -> any BackgroundQueue { SimulatedQueue(process: self) }

  func pause(nanoseconds: UInt64) {
    machine.point(.other)
    machine.block(.idle, until: machine.clock + nanoseconds)
  }

  func now() -> UInt64 { machine.clock }

  func coarseNow() -> UInt64 { machine.clock / 4_000_000 * 4_000_000 }
}

/// A serial queue of a simulated process: a thread that lives as long as there are jobs.
final class SimulatedQueue: BackgroundQueue, @unchecked Sendable {
  // Sendable: whoever has the baton touches it, and passing the baton orders the accesses.

  private unowned let process: SimulatedProcess
  private var jobs: [(time: UInt64, body: @Sendable () -> Void)] = []
  private var thread: SimulatedThread?
  private var isRunning = false

  private var machine: SimulatedMachine { process.machine }

  init(process: SimulatedProcess) { self.process = process }

  func run(_ job: @escaping @Sendable () -> Void) { run(afterNanoseconds: 0, job) }

  func run(afterNanoseconds delay: UInt64, _ job: @escaping @Sendable () -> Void) {
    machine.point(.other)
    guard !machine.isOver, !process.isDead else { return }
    jobs.append((machine.clock + delay, job))
    if let thread {
      if thread.state == .idle { machine.makeReady(thread) }
    } else {
      process.start("queue") { [self] in loop() }
      thread = machine.threads.last
    }
  }

  private func loop() {
    while let next = jobs.indices.min(by: { jobs[$0].time < jobs[$1].time }) {
      if jobs[next].time > machine.clock {
        machine.block(.idle, until: jobs[next].time)
        continue
      }
      isRunning = true
      process.callsInside += 1
      jobs.remove(at: next).body()
      process.callsInside -= 1
      isRunning = false
      machine.point(.other)
    }
    thread = nil
  }

  func drain() {
    machine.point(.other)
    while !machine.isOver, isRunning || jobs.contains(where: { $0.time <= machine.clock }) {
      machine.block(.idle, until: machine.clock + 1_000_000)
    }
  }
}
