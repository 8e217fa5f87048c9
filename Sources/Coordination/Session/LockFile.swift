import Platform
import Synchronization

/// What the processes that have a database open share, and how they stay out of each other's way:
/// the newest version, who reads which version, who writes, who listens to commits.
///
/// One object stands for one open file in one process; all threads use it at once. Every decision
/// rests on byte locks that the kernel drops when their holder dies (`SessionJoiner`,
/// `Participants`, `AgentRole`), and on words of shared memory that are safe if any process dies
/// between two instructions (`NewestVersion`, `PinTable`, `WriterRole`, `CommitSignal`). Nothing
/// here is needed to recover the data file: a lock-file can be deleted when no process has it open.
public final class LockFile: Sendable {
  public enum Mode: Sendable {
    /// Any number of processes.
    case shared
    /// This process and no other; no lock-file is made but to note a failed flush, and any file
    /// system will do.
    case exclusive
    /// For who has no permission to write: reads alone, as long as no writer has the file open.
    case privateReader
  }

  /// What recovery found in the data file.
  public struct Recovered: Sendable {
    public var newest: PublishedVersion
    /// The newest version that a durable slot names.
    public var durable: Version
    /// The newest version whose nodes are all known to be on disk.
    public var flushed: Version

    /// `flushed`: `durable` where nothing more is known.
    public init(newest: PublishedVersion, durable: Version, flushed: Version? = nil) {
      self.newest = newest
      self.durable = durable
      self.flushed = flushed ?? durable
    }
  }

  public let path: String
  public let mode: Mode
  let memory: SharedMemory
  let dataFile: any SystemFile
  let system: any System
  private let participants: Participants?
  private let participant: Int
  private let versions: NewestVersion
  let pinTable: PinTable
  let writer: WriterQueue
  private let signal: CommitSignal
  private let agent: AgentRole
  private let pathWatch: PathWatch
  /// When dead processes' pins were last taken back; held while it is done.
  private let reaping = LockedValue<UInt64>(0)
  /// The newest version that this process has known to be durable.
  let certain = Atomic<UInt64>(0)
  private let isClosed = Atomic<Bool>(false)

  init(
    path: String, mode: Mode, dataFile: any SystemFile, memory: SharedMemory,
    participants: Participants?, participant: Int, system: any System
  ) throws(SystemError) {
    self.path = path
    self.mode = mode
    self.dataFile = dataFile
    self.memory = memory
    self.participants = participants
    self.participant = participant
    self.system = system
    versions = NewestVersion(memory: memory)
    pinTable = try PinTable(memory: memory, system: system, participant: participant)
    let role = WriterRole(
      memory: memory, system: system, participants: participants, participant: participant)
    role.forgetPredecessor()
    writer = WriterQueue(role: role, path: path, system: system)
    pathWatch = PathWatch(file: dataFile, system: system)
    signal = CommitSignal(memory: memory, system: system, participant: participant)
    agent = AgentRole(file: mode == .shared ? dataFile : nil)
  }

  deinit { close() }

  /// Releases everything that this process holds. Waits for the writer role end with an error; what
  /// is still pinned does not count any more.
  public func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing), !memory.isForked else {
      return
    }
    writer.close()
    agent.release()
    signal.close()
    _ = pinTable.freeSlots(of: UInt64(participant))
    try? dataFile.unlock(byte: LockFileLayout.sessionByte)
    if mode == .privateReader { try? dataFile.unlock(byte: LockFileLayout.privateReaderByte) }
    memory.file?.close()
  }

  func requireUsable() {
    memory.requireNotForked()
    precondition(!isClosed.load(ordering: .relaxed), "the lock-file was used after it was closed")
  }

  // MARK: Opening

  /// Joins the processes that have the data file open, or is the first of them.
  ///
  /// - `path`: of the lock-file, which is made if it is not there.
  /// - `dataFile`: open for writing in the shared mode. It holds byte locks from now on, so it
  ///   stays open as long as the result is in use.
  /// - `recover`: called if no other process has the file open, and before one can. It is told
  ///   whether a flush failed earlier in this boot, so that what it should have covered may be
  ///   missing from the disk although it can be read, and leaves there whether that is so now,
  ///   also where it throws. Whoever opens the file next, or writes in this session, is told.
  public static func open<Failure: Error>(
    path: String, dataFile: any SystemFile, system: any System = PosixSystem.shared,
    mode: Mode = .shared, recover: (_ hasFailedFlush: inout Bool) throws(Failure) -> Recovered
  ) throws(LockFileOpenError<Failure>) -> LockFile {
    let joiner = SessionJoiner(path: path, dataFile: dataFile, system: system)
    return try SessionOpening<Failure>(joiner: joiner, mode: mode).open(recover)
  }

  /// Names the session: the time from the first process's opening of the file to the last one's
  /// closing. No other session of the file has the number, which is never 0.
  public var session: UInt64 {
    requireUsable()
    return memory[LockFileLayout.headerGeneration].load(ordering: .relaxed)
  }

  // MARK: Versions

  /// The newest version, as one consistent triple. Takes no lock. Throws only if the shared memory
  /// has been damaged.
  public func newest() throws(LockFileError) -> PublishedVersion {
    requireUsable()
    return try versions.read()
  }

  /// One atomic load, sequentially consistent.
  public var newestVersion: Version {
    requireUsable()
    return versions.number()
  }

  /// Makes a version the newest one, for every process at once. For the holder of the writer role.
  public func publish(_ newest: PublishedVersion) {
    requireUsable()
    versions.publish(newest)
  }

  // MARK: Pins

  /// Keeps the newest version from being overwritten. Takes no lock.
  public func pinNewest(label: PinLabel = .none) throws(LockFileError) -> Pin {
    requireUsable()
    return try pinTable.pinNewest(label: label)
  }

  /// A second pin on the same version; each is given back by itself.
  public func pinAgain(_ pin: Pin) -> Pin {
    requireUsable()
    return pinTable.pinAgain(pin)
  }

  /// Does nothing in a child made by fork(), and after `close`.
  public func unpin(_ pin: Pin) {
    guard !memory.isForked, !isClosed.load(ordering: .relaxed) else { return }
    pinTable.unpin(pin)
  }

  /// The distinct versions in use, oldest first, with the newest at the end.
  ///
  /// For the holder of the writer role. The result stays valid: it lists which of the versions up
  /// to the newest one are in use, because versions are pinned only while they are the newest; for
  /// what is freed by a later version it takes another look after that one has been published.
  public func pinnedVersions(into versions: inout [Version], reaping: Reaping = .whenDue) {
    requireUsable()
    switch reaping {
    case .never: break
    case .whenDue: reapIfDue()
    case .now: reap()
    }
    pinTable.versions(into: &versions)
  }

  /// Takes back the pins of dead processes; returns how many there were.
  @discardableResult
  public func reap() -> Int {
    requireUsable()
    return reaping.withLock { lastTime in
      lastTime = system.now()
      return reapWhileAlone()
    }
  }

  /// So that, the time of a commit included, what only a dead process kept is free within a second.
  private static let reapingInterval: UInt64 = 900_000_000

  private func reapIfDue() {
    let now = system.coarseNow()
    reaping.withLock { lastTime in
      guard now > lastTime + LockFile.reapingInterval else { return }
      lastTime = now
      _ = reapWhileAlone()
    }
  }

  private func reapWhileAlone() -> Int {
    guard let participants else { return 0 }
    var count = 0
    for other in pinTable.otherParticipants() {
      _ = participants.whileDead(Int(other)) { count += pinTable.freeSlots(of: other) }
    }
    return count
  }

  /// Every pin there is, for people to look at.
  public func pins() -> [PinDescription] {
    requireUsable()
    return pinTable.descriptions().map { pin in
      var pin = pin
      guard let participants else {
        pin.process = ProcessDescription.number
        pin.processName = ProcessDescription.name
        return pin
      }
      (pin.process, pin.processName) = participants.description(pin.participant)
      pin.isAlive = pin.participant == participant || participants.isAlive(pin.participant)
      return pin
    }
  }

  // MARK: The writer role

  /// Waits for the writer role: in line with the others of this process, and in line with the
  /// other processes. The role is not bound to the thread.
  public func lockWriter() throws(LockFileError) {
    try requireWritable()
    try pathWatch.requirePath()
    try writer.lock()
  }

  /// As `lockWriter()`, but for so long only; not at all where others of this process wait.
  ///
  /// - Returns: false if others have had the role all the time.
  public func lockWriter(within nanoseconds: UInt64) throws(LockFileError) -> Bool {
    try requireWritable()
    try pathWatch.requirePath()
    return try writer.lock(within: nanoseconds)
  }

  /// Whether another process, or another handle of this one, has the file open.
  public var hasOthers: Bool {
    let byte = LockFileLayout.sessionByte
    return (try? dataFile.isLockedByOther(byte: byte, kind: .exclusive)) ?? true
  }

  /// Whether the path still names the data file, as far as that has not just been looked at.
  ///
  /// - Throws: `.dataFileReplaced`.
  public func requirePath() throws(LockFileError) { try pathWatch.requirePath() }

  /// As `lockWriter()`, without waiting. False also while the role is free but others, who have
  /// waited for it, are about to take it.
  public func tryLockWriter() throws(LockFileError) -> Bool {
    try requireWritable()
    try pathWatch.requirePath()
    return try writer.tryLock()
  }

  /// Takes a place in the same line and returns at once. `whenReady` is called on a background
  /// thread, never from within this call, and should be short: it holds up others who wait so.
  @discardableResult
  public func lockWriter(
    whenReady: @escaping @Sendable (Result<Void, LockFileError>) -> Void
  ) throws(LockFileError) -> WriterWait {
    try requireWritable()
    try pathWatch.requirePath()
    return WriterWait(queue: writer, number: try writer.lock(whenReady: whenReady))
  }

  /// Gives the writer role back; any thread may.
  public func unlockWriter() {
    memory.requireNotForked()
    writer.unlock()
  }

  private func requireWritable() throws(LockFileError) {
    memory.requireNotForked()
    guard mode != .privateReader else {
      throw LockFileError(.readOnly, path: path, "the file was opened for reading only")
    }
  }

  // MARK: Wake-ups

  /// Calls `listener` after every `wakeOthers`, of this process or another; several in a row may be
  /// one call. For one by this process it is called on the thread that announces, else on a
  /// background thread that other files share; so it must be short, and not wait for anything.
  public func addListener(
    _ listener: @escaping @Sendable () -> Void
  ) throws(LockFileError) -> CommitListener {
    requireUsable()
    return CommitListener(signal: signal, number: try signal.add(listener))
  }

  /// Wakes all listeners but `author`, because something was published.
  public func wakeOthers(except author: CommitListener? = nil) {
    requireUsable()
    signal.announce(except: author?.number)
  }

  // MARK: The agent role

  /// Whether this process is now the one that synchronises the file.
  public func tryTakeAgentRole() throws(LockFileError) -> Bool {
    try requireWritable()
    return try agent.tryTake()
  }

  /// Waits for the agent role in the background; `whenTaken` is called on some thread.
  public func takeAgentRole(
    whenTaken: @escaping @Sendable (Result<Void, LockFileError>) -> Void
  ) throws(LockFileError) {
    try requireWritable()
    try agent.take(whenTaken: whenTaken)
  }

  /// Gives the agent role back, or gives up waiting for it.
  public func releaseAgentRole() {
    memory.requireNotForked()
    agent.release()
  }
}

/// A place in the line of writers.
public final class WriterWait: Sendable {
  private let queue: WriterQueue
  private let number: UInt64

  init(queue: WriterQueue, number: UInt64) {
    self.queue = queue
    self.number = number
  }

  /// Leaves the line. True: the closure is never called. False: it has been, or is being.
  public func cancel() -> Bool { queue.cancel(number) }
}

/// Is called after commits as long as it is referenced.
public final class CommitListener: Sendable {
  private let signal: CommitSignal
  let number: UInt64

  init(signal: CommitSignal, number: UInt64) {
    self.signal = signal
    self.number = number
  }

  deinit { signal.remove(number) }
}
