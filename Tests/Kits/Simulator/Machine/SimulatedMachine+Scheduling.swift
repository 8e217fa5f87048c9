import Coordination
import Platform

/// The scheduler: who runs next, and what time it is.
extension SimulatedMachine {
  enum Point {
    case word
    case processLock
    case call(SystemCall)
    case other

    /// System calls are where most can go wrong, so they weigh more.
    var weight: Int {
      switch self {
      case .word, .processLock: 1
      case .call, .other: 6
      }
    }
  }

  /// The thread that has the baton is about to do something that others could see, or be seen by.
  func point(_ point: Point) {
    guard !isOver, let thread = current else { return }
    step += point.weight
    clock += UInt64(point.weight) * 200
    if step < nextSwitch, step < nextAgenda { return }
    happen()
    guard thread.isDead || step >= nextSwitch || thread.process.isStopped else { return }
    planSwitch()
    handOff(from: thread)
  }

  func planSwitch() {
    let mean = settings.stepsBetweenSwitches
    nextSwitch = step + 1 + (mean > 1 ? random.below(2 * mean - 1) : 0)
  }

  /// Lets what was planned for this step happen.
  private func happen() {
    while step >= nextAgenda {
      let (_, action) = agenda.removeFirst()
      nextAgenda = agenda.first?.step ?? .max
      action()
    }
  }

  func plan(at step: Int, _ action: @escaping () -> Void) {
    let place = agenda.firstIndex { $0.step > step } ?? agenda.count
    agenda.insert((step, action), at: place)
    nextAgenda = agenda[0].step
  }

  /// `isAwaited`: the machine's run is not over before.
  func plan(
    afterNanoseconds delay: UInt64, isAwaited: Bool, _ action: @escaping () -> Void
  ) {
    alarms.append((clock + delay, isAwaited, action))
  }

  /// The thread that has the baton waits until somebody makes it ready, or until the deadline.
  func block(_ state: SimulatedThread.State, until deadline: UInt64? = nil) {
    guard !isOver, let thread = current else { return }
    thread.state = state
    thread.deadline = deadline
    thread.wasOverdue = false
    thread.blockedSince = clock
    step += 1
    if step >= nextAgenda { happen() }
    handOff(from: thread)
  }

  /// Makes those ready whose state is one of those that `isMeant`.
  func wake(_ isMeant: (SimulatedThread) -> Bool) {
    for thread in threads where isMeant(thread) { makeReady(thread) }
  }

  func makeReady(_ thread: SimulatedThread) {
    thread.state = .ready
    thread.deadline = nil
  }

  func releasedLock(of process: SimulatedProcess) {
    wake { $0.state == .processLock && $0.process === process }
  }

  /// The thread's body has returned.
  func ended(_ thread: SimulatedThread) {
    thread.state = .ended
    threads.removeAll { $0 === thread }
    pool.takeBack(thread.worker)
    current = nil
    if thread.isActor { onActorEnd?(thread.process) }
    handOff(from: nil)
  }

  /// Passes the baton to a thread that can run, or to the driver when there is nothing to wait for.
  func handOff(from thread: SimulatedThread?) {
    let next = choose()
    current = next
    if let next, next === thread { return }
    if let next {
      trace("runs")
      next.worker.baton.pass()
    } else {
      driver.pass()
    }
    thread?.waitForBaton()
  }

  private func choose() -> SimulatedThread? {
    while true {
      if step > lastProgressStep + Self.stepsMax {
        report("somebody goes on and on without getting anywhere")
        return nil
      }
      runAlarms()
      wakeOverdue()
      let ready = threads.filter { $0.state == .ready && !$0.process.isStopped }
      if !ready.isEmpty {
        idleJumps = 0
        return ready[random.below(ready.count)]
      }
      if isFinished || findings.count >= 10 { return nil }
      if !advance() { return nil }
    }
  }

  private var isFinished: Bool {
    !threads.contains { $0.isActor } && !alarms.contains { $0.isAwaited }
  }

  /// Nobody can run: lets time pass up to when somebody can, or reports that nobody ever will.
  private func advance() -> Bool {
    reportForgottenWriter()
    let times =
      alarms.map { $0.time }
      + threads.compactMap { $0.process.isStopped ? nil : $0.deadline }
    if let time = times.min(), time < lastProgress + Self.claimTimeout {
      clock = max(clock, time)
      step += 20
    } else if times.isEmpty, !agenda.isEmpty, idleJumps < 100 {
      idleJumps += 1
      step = max(step, agenda[0].step)
    } else {
      reportHang()
      return false
    }
    happen()
    return true
  }

  /// Somebody sleeps until the writer role is given back, nobody has it, and nobody can run: the
  /// one who gave it back has woken nobody. The sleeper looks again after some time, so nothing
  /// else shows it. Where processes were killed or stopped, the one that was woken may have been
  /// among them.
  private func reportForgottenWriter() {
    guard isUndisturbed else { return }
    for (path, inode) in names where path.hasSuffix(".lock") {
      let word = unsafe inode.cache + LockFileLayout.writerRole
      let place = UInt(bitPattern: word)
      guard unsafe word.load(as: UInt32.self) & Self.holderMask == 0,
        let sleeper = threads.first(where: { $0.state == .futex(place) })
      else { continue }
      report("\(sleeper.name) sleeps although nobody has the writer role")
    }
  }

  /// The bits of the writer word that say who has the role (docs/format-lockfile.md).
  private static let holderMask: UInt32 = 1 << 13 - 1

  /// Nobody needs longer than that for anything; whoever does waits for ever.
  static let claimTimeout: UInt64 = 300_000_000_000

  /// No call of a database takes so many steps, even when others are in its way.
  private static let stepsMax = 400_000

  private func reportHang() {
    let waiting = threads.filter { $0.isActor }.map { "\($0.name) \($0.state)" }
    report("nobody can go on: \(waiting.joined(separator: ", "))")
  }

  private func runAlarms() {
    while let index = alarms.indices.filter({ alarms[$0].time <= clock })
      .min(by: { alarms[$0].time < alarms[$1].time })
    {
      alarms.remove(at: index).action()
    }
  }

  private func wakeOverdue() {
    for thread in threads where (thread.deadline ?? .max) <= clock {
      thread.wasOverdue = true
      makeReady(thread)
    }
  }
}
