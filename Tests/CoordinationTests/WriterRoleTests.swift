import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Coordination

/// The word that the processes share: stopped processes, dead ones, and damage.
@Suite(.timeLimit(.minutes(5))) struct WriterRoleTests {
  let database = Database()

  private func process() throws -> ChildProcess {
    let child = try database.process()
    try child.ask("open")
    return child
  }

  /// Whether the role can be had within two seconds.
  private func canWrite(_ lockFile: LockFile) throws -> Bool {
    let end = MonotonicClock.now() + 2_000_000_000
    while try !lockFile.tryLockWriter() {
      if MonotonicClock.now() > end { return false }
      sched_yield()
    }
    lockFile.unlockWriter()
    return true
  }

  @Test func `a process that is stopped right after a burst does not keep the role`() throws {
    let lockFile = try database.open().lockFile
    let isOver = Flag()
    // So that the processor is taken from the child at any moment.
    for _ in 0..<3 { try BackgroundThread.start(name: "load") { while !isOver.isSet {} } }
    defer { isOver.set() }
    let child = try process()
    var kept = 0
    for _ in 0..<25 {
      try child.ask("increment 300")
      kill(child.number, SIGSTOP)
      if try !canWrite(lockFile) { kept += 1 }
      kill(child.number, SIGCONT)
    }
    #expect(kept == 0)
  }

  @Test func `a waiter that is stopped holds nobody up`() throws {
    let lockFile = try database.open().lockFile
    let (stopped, other) = (try process(), try process())
    for _ in 0..<10 {
      try lockFile.lockWriter()
      stopped.send("write")
      yield { lockFile.writer.isAwaited }
      kill(stopped.number, SIGSTOP)
      other.send("increment 20")
      lockFile.unlockWriter()
      #expect(try other.readLine() == "incremented")
      #expect(try canWrite(lockFile))
      kill(stopped.number, SIGCONT)
      #expect(try stopped.readLine() == "writing")
      try stopped.ask("publish \(lockFile.newestVersion.next)")
    }
  }

  @Test func `nothing is held between transactions`() throws {
    let lockFile = try database.open().lockFile
    for _ in 0..<1000 {
      try lockFile.lockWriter()
      lockFile.unlockWriter()
      #expect(lockFile.writer.role.load().isFree)
    }
  }

  @Test func `a process that holds the role is not outrun by one that asks all the time`() throws {
    let lockFile = try database.open().lockFile
    let child = try process()
    child.send("increment 1000000000")
    yield { lockFile.newestVersion > 100 }
    for _ in 0..<50 {
      try lockFile.lockWriter()
      lockFile.unlockWriter()
    }
    child.kill()
  }

  @Test func `a wait with an end has one, and finds what a dead holder left`() throws {
    let lockFile = try database.open().lockFile
    let child = try process()
    try child.ask("write")
    #expect(try !lockFile.lockWriter(within: 0))
    #expect(try !lockFile.lockWriter(within: 20_000_000))
    child.kill()
    #expect(try lockFile.lockWriter(within: 0))
    lockFile.unlockWriter()
    #expect(try canWrite(lockFile))
  }

  // MARK: Death

  /// A short wait sees the death when it looks; a long one is told, however long it is until then.
  @Test(arguments: [0, 1, 5, 30, 300] as [UInt64])
  func `the death of a holder wakes those who wait for long`(milliseconds: UInt64) throws {
    let clock = StandingClock()
    let lockFile = try database.open(system: clock).lockFile
    let child = try process()
    try child.ask("write")
    let ready = Event<Void>()
    try BackgroundThread.start(name: "waiter") {
      #expect(throws: Never.self) { try lockFile.lockWriter() }
      ready.signal(())
    }
    yield { lockFile.writer.isAwaited }
    clock.advance(milliseconds: milliseconds)
    child.kill()
    if milliseconds < 10 { clock.advance(milliseconds: 10) }
    ready.wait()
    lockFile.unlockWriter()
  }

  /// Nothing wakes it when the one whose turn it is takes the role, and dies.
  @Test func `a process that waits behind another one's turn looks again soon`() throws {
    let clock = StandingClock()
    let lockFile = try database.open(system: clock).lockFile
    let next = try process()
    try lockFile.lockWriter()
    next.send("write")
    yield { lockFile.writer.isAwaited }
    kill(next.number, SIGSTOP)
    lockFile.unlockWriter()
    let hasRole = Flag()
    try BackgroundThread.start(name: "waiter") {
      #expect(throws: Never.self) { try lockFile.lockWriter() }
      hasRole.set()
    }
    yield { clock.reservedSleeps.all.count >= 3 }
    #expect(clock.reservedSleeps.all.allSatisfy { $0 <= 2_000_000 })
    kill(next.number, SIGCONT)
    #expect(try next.readLine() == "writing")
    #expect(!hasRole.isSet)
    next.kill()
    yield {
      clock.advance(milliseconds: 1)
      return hasRole.isSet
    }
    lockFile.unlockWriter()
  }

  @Test func `who gets the number of a dead holder gives its role back`() throws {
    let lockFile = try database.open().lockFile
    let child = try process()
    try child.ask("write")
    child.kill()
    let successor = try database.open().lockFile
    #expect(lockFile.writer.role.load().isFree)
    #expect(try lockFile.tryLockWriter())
    lockFile.unlockWriter()
    #expect(try successor.tryLockWriter())
  }

  // MARK: Damage

  @Test(arguments: [1, 2, 100, 4096, 5000, 8191, 8192, 8193, .max] as [UInt32])
  func `a word that was written over between transactions locks nobody out`(bits: UInt32) throws {
    let first = try database.open().lockFile
    let second = try database.open().lockFile
    for lockFile in [first, second] {
      first.memory[half: LockFileLayout.writerRole].store(bits, ordering: .relaxed)
      try lockFile.lockWriter()
      #expect(try !(lockFile === first ? second : first).tryLockWriter())
      lockFile.unlockWriter()
    }
    first.memory[half: LockFileLayout.writerRole].store(bits, ordering: .relaxed)
    #expect(try canWrite(second))
  }

  @Test func `a word that was written over while somebody writes lets nobody else in`() throws {
    let lockFile = try database.open().lockFile
    let child = try process()
    for bits in [0, 1, 2, 3000, 8192] as [UInt32] {
      try child.ask("write")
      lockFile.memory[half: LockFileLayout.writerRole].store(bits, ordering: .relaxed)
      for _ in 0..<10 { #expect(try !lockFile.tryLockWriter(), "\(bits)") }
      try child.ask("publish \(lockFile.newestVersion.next)")
      #expect(try canWrite(lockFile))
    }
  }

  // MARK: Threads

  private func threadCount(_ name: String) -> Int {
    guard let directory = unsafe opendir("/proc/self/task") else { return 0 }
    defer { unsafe closedir(directory) }
    var count = 0
    while let entry = unsafe readdir(directory) {
      let number = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      guard let file = unsafe fopen("/proc/self/task/\(number)/comm", "r") else { continue }
      var line = [UInt8](repeating: 0, count: 32)
      let length = unsafe fread(&line, 1, 32, file)
      if String(decoding: line[..<length], as: UTF8.self).hasPrefix(name) { count += 1 }
      unsafe fclose(file)
    }
    return count
  }

  @Test func `the thread that waits for closures ends when there are none`() throws {
    let lockFile = try database.open().lockFile
    let worker = SerialWorker(name: "test-idle", system: PosixSystem.shared)
    for _ in 0..<3 {
      let done = Event<Void>()
      try worker.run { done.signal(()) }
      done.wait()
      yield { threadCount("test-idle") == 0 }
    }
    let ready = Event<Void>()
    try lockFile.lockWriter { _ in ready.signal(()) }
    ready.wait()
    lockFile.unlockWriter()
  }
}
