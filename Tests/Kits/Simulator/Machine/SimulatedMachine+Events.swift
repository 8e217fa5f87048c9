import Platform
import Storage
import TestSupport

/// What befalls a machine.
extension SimulatedMachine {
  /// The process dies; its byte locks go one file after the other, as the kernel gets to them.
  func kill(_ process: SimulatedProcess) {
    guard !process.isDead else { return }
    trace("\(process.name) is killed")
    let open = process.descriptions
    if let failure = process.untoldFailure { onSilentFailure?(failure.inode) }
    bury(process)
    onEnd?(process, true)
    var order = open
    order.shuffle(using: &random)
    var delay: UInt64 = 0
    for description in order {
      delay += UInt64(random.below(12_000))
      plan(afterNanoseconds: delay, isAwaited: false) {
        if !description.isClosed { description.dropLocks() }
      }
    }
  }

  /// None of its threads runs again. What they refer to stays for good: no code of a process that
  /// has died runs, so nothing may be released either.
  private func bury(_ process: SimulatedProcess) {
    process.isDead = true
    // Who waited for it goes on from here, as after a stop that ends.
    if process.isStopped { lastResumption = clock }
    process.isStopped = false
    isUndisturbed = false
    let dead = threads.filter { $0.process === process }
    threads.removeAll { $0.process === process }
    for thread in dead {
      _ = unsafe Unmanaged.passRetained(thread)
      thread.die()
    }
    processes.removeAll { $0 === process }
  }

  /// The process comes to its end by itself: as a kill, after everything was closed that is closed.
  func end(_ process: SimulatedProcess) {
    guard !process.isDead else { return }
    let open = process.descriptions
    if threads.contains(where: { $0.process === process }) || !open.isEmpty {
      bury(process)
      if !isOver { for description in open { description.dropLocks() } }
    } else {
      process.isDead = true
      processes.removeAll { $0 === process }
    }
    onEnd?(process, false)
  }

  /// The process does not run for a while, as after SIGSTOP.
  func stop(_ process: SimulatedProcess, nanoseconds: UInt64) {
    guard !process.isDead, !process.isStopped else { return }
    process.isStopped = true
    isUndisturbed = false
    let isIdle = process.callsInside == 0 && !hasBusyHelper(process)
    let start = clock
    trace("\(process.name) is stopped\(isIdle ? " between calls" : "")")
    plan(afterNanoseconds: nanoseconds, isAwaited: false) { [self] in
      guard process.isStopped else { return }
      if isIdle { reportHeldUp(by: process, since: start) }
      process.isStopped = false
      lastResumption = clock
      lastProgress = clock
      trace("\(process.name) goes on")
    }
  }

  /// Whether a thread of the library's own is at work in the process: the last reference to a
  /// database may end on one, after the call that it was made for, and then it flushes and closes.
  private func hasBusyHelper(_ process: SimulatedProcess) -> Bool {
    threads.contains { thread in
      guard thread.process === process, !thread.isActor else { return false }
      return thread === current || thread.state == .ready
    }
  }

  /// A process that is stopped while it does nothing must not keep others from anything. Where
  /// others have been stopped meanwhile, those who wait may have waited for them.
  private func reportHeldUp(by process: SimulatedProcess, since start: UInt64) {
    let isOnlyOne =
      (lastResumption.map { $0 < start } ?? true)
      && !processes.contains { $0 !== process && $0.isStopped }
    guard clock > start + 5_000_000_000, isOnlyOne else { return }
    let held = threads.first { thread in
      guard thread.isActor, thread.process !== process, thread.deadline == nil,
        thread.blockedSince < start + 1_000_000_000
      else { return false }
      switch thread.state {
      case .futex, .fileLock: return true
      default: return false
      }
    }
    if let held {
      report("\(held.name) waited for \(process.name), which was stopped between its calls")
    }
  }

  // MARK: Disks

  /// Every process dies, and what is not on the disk may be lost; then the machine is there again.
  func losePower() {
    trace("power loss")
    endAll()
    for inode in inodes where inode.linkCount > 0 || isNamedOnDisk(inode) {
      inode.lose(to: image(of: inode))
    }
    if random.below(2) == 0 { names = durableNames }
    for inode in names.values { (inode.linkCount, inode.orphanedAt) = (1, .max) }
    bootAgain(isClean: false)
  }

  private func isNamedOnDisk(_ inode: MachineInode) -> Bool {
    durableNames.values.contains { $0 === inode }
  }

  /// Every process dies with the container that they run in; the next one has a boot identifier of
  /// its own, and the page cache of this one.
  func restartContainer() {
    trace("restart of the container")
    endAll()
    boot += 1
    isUndisturbed = true
    for inode in inodes { (inode.locks, inode.slotsOfThisBoot) = ([:], [:]) }
    lastProgress = clock
    onRestart?()
  }

  /// Every process has ended; the machine is shut down, which writes everything to the disk.
  func shutDown() {
    trace("shutdown")
    endAll()
    for inode in inodes { inode.settleAll() }
    bootAgain(isClean: true)
  }

  private func endAll() {
    for process in processes {
      bury(process)
      onEnd?(process, true)
    }
    agenda.removeAll()
    nextAgenda = .max
    alarms.removeAll()
  }

  private func bootAgain(isClean: Bool) {
    boot += 1
    isUndisturbed = true
    for inode in inodes { (inode.locks, inode.slotsOfThisBoot) = ([:], [:]) }
    durableNames = names
    lastProgress = clock
    onBoot?(isClean)
  }

  private func image(of inode: MachineInode) -> [UInt8] {
    let plan = inode.plan
    let sectors = plan.sectors
    var chosen = choice(of: sectors)
    if random.below(3) == 0 { chosen.shuffle(using: &random) }
    let torn = random.below(4) == 0 ? random.below(CrashPlan.sectorSize) : nil
    var image = plan.image(
      chosen: chosen, of: sectors, size: choice(of: plan.sizes), tornAt: torn)
    // A file that is being made may be lost.
    if settings.tearsBlocks, !sectors.isEmpty, inode.durable.starts(with: Array("HOLDFAST".utf8)) {
      let block = sectors[random.below(sectors.count)].offset / CrashPlan.blockSize
      CrashPlan.destroy(block: block, of: &image, using: &random)
    }
    return image
  }

  /// The telling choices (nothing, all, all but one, one, a prefix, all but the slots, the slots
  /// alone), and random ones.
  private func choice(of sectors: [CrashPlan.Sector]) -> [Int] {
    let all = Array(sectors.indices)
    guard !all.isEmpty else { return [] }
    switch random.below(10) {
    case 0: return []
    case 1: return all
    case 2: return all.filter { [skipped = random.below(all.count)] in $0 != skipped }
    case 3: return [random.below(all.count)]
    case 4: return Array(all.prefix(random.below(all.count + 1)))
    case 5: return Array(all.suffix(random.below(all.count + 1)))
    case 6: return all.filter { isInSlot(sectors[$0]) }
    case 7...8: return all.filter { !isInSlot(sectors[$0]) }
    default: return all.filter { _ in random.below(4) != 0 }
    }
  }

  private func isInSlot(_ sector: CrashPlan.Sector) -> Bool {
    FileLayout.durableSlots.contains { ($0..<$0 + FileLayout.slotSize).contains(sector.offset) }
  }

  /// The longest, so that nothing that arrived is missing; what the file was last, as a file system
  /// leaves it that has just written its journal; any.
  private func choice(of sizes: [Int]) -> Int {
    switch random.below(4) {
    case 0: sizes[random.below(sizes.count)]
    case 1: sizes.last!
    default: sizes.max()!
    }
  }

  /// Some of the pages that a failed flush left are read from the disk again.
  func evict(_ inode: MachineInode) {
    trace("pages of #\(inode.number) are read again")
    for page in inode.droppedPages.sorted() where random.below(2) == 0 { inode.readAgain(page) }
  }
}
