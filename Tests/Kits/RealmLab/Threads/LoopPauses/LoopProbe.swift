import Clibuv
import Glibc
import Platform
import EngineLab
import RealmSwift

/// Measures how a loop turns: how late a timer is called that is due every millisecond, what the
/// thread did in the gaps between the calls, and what it was busy with. Own thread only.
@safe final class LoopProbe {
  /// From when the timer was due to when it was called.
  struct Pause {
    let due: UInt64
    let called: UInt64
    var length: UInt64 { called - due }

    /// What is left of it outside of `others`, which are in order and do not overlap.
    func length(without others: [Pause]) -> UInt64 {
      var low = 0
      var high = others.count
      while low < high {
        let middle = (low + high) / 2
        if others[middle].called <= due { low = middle + 1 } else { high = middle }
      }
      return others[low...].prefix { $0.due < called }.reduce(length) { left, other in
        left - (min(called, other.called) - max(due, other.due))
      }
    }
  }

  /// The time from one call of the timer to the next. Nanoseconds.
  struct Gap {
    var wall: UInt64 = 0
    /// Of that: the loop waited for something to do.
    var waited: UInt64 = 0
    /// The thread ran.
    var cpu: UInt64 = 0
    /// The thread could have run, but the kernel gave the processors to others.
    var runDelay: UInt64 = 0
    var faults = 0
    var majorFaults = 0
    var switchesForced = 0
    var notes: [Note] = []

    /// The thread slept in the kernel, but not because the loop had nothing to do.
    var blocked: UInt64 {
      let known = waited + cpu + runDelay
      return wall > known ? wall - known : 0
    }
    /// The time in which the loop could not turn because of what its thread did: ran, or slept in
    /// the kernel for another reason than to wait for events.
    var own: UInt64 {
      // What is counted as run while the loop waited, others' interrupts did.
      min(cpu, wall > waited ? wall - waited : 0) + blocked
    }
  }

  struct Note {
    let time: UInt64
    let text: String
  }

  private enum Phase {
    case working
    case preparing
    case waiting(since: UInt64)
  }

  private let loop: UVLoop
  private var timer: LoopTimer?
  private var hook: TurnHook?
  private let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
  private var phase = Phase.working
  private let schedulerFile: Int32
  private var last = Reading()
  private var waited: UInt64 = 0
  private var notes: [Note] = []

  /// Every call of the timer.
  private(set) var pauses: [Pause] = []
  private(set) var ownSpans = Latencies()
  private(set) var runDelays = Latencies()
  private(set) var longest: [Gap] = []
  private(set) var turns = 0
  private static let keptCount = 6
  private static let period: UInt64 = 1_000_000

  init(_ loop: UVLoop) {
    self.loop = loop
    schedulerFile = unsafe open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
  }

  deinit {
    if schedulerFile >= 0 { Glibc.close(schedulerFile) }
  }

  // MARK: Measuring

  func start() {
    unsafe uv_prepare_init(loop.handle, prepare)
    unsafe prepare.pointee.data = unsafe Unmanaged.passUnretained(self).toOpaque()
    // libuv calls the newest first: the loop's own follows, and with it the hook.
    unsafe uv_prepare_start(prepare) { handle in
      unsafe Unmanaged<LoopProbe>.fromOpaque(handle!.pointee.data).takeUnretainedValue().phase =
        .preparing
    }
    hook = loop.onTurnStart { [unowned self] in turnStarts() }
    last = read()
    timer = loop.schedule(after: .milliseconds(1), every: .milliseconds(1)) { [unowned self] in
      tick()
    }
  }

  /// The probe has to outlive the loop's next turn.
  func stop() {
    timer?.cancel()
    hook?.cancel()
    let raw = unsafe UnsafeMutableRawPointer(prepare).assumingMemoryBound(to: uv_handle_t.self)
    unsafe uv_close(raw) { unsafe $0?.deallocate() }
  }

  /// Something that the loop does now.
  func note(_ text: String) { notes.append(Note(time: MonotonicClock.now(), text: text)) }

  private func turnStarts() {
    turns += 1
    switch phase {
    case .working: return
    case .preparing: phase = .waiting(since: MonotonicClock.now())
    case .waiting(let since):
      waited += MonotonicClock.now() - since
      phase = .working
    }
  }

  private func tick() {
    let now = read()
    var gap = now.gap(since: last)
    gap.waited = waited
    gap.notes = notes.map { Note(time: $0.time - last.time, text: $0.text) }
    let due = min(last.time + Self.period, now.time)
    pauses.append(Pause(due: due, called: now.time))
    ownSpans.add(gap.own)
    runDelays.add(gap.runDelay)
    keep(gap)
    notes.removeAll(keepingCapacity: true)
    waited = 0
    last = now
  }

  private func keep(_ gap: Gap) {
    if longest.count == Self.keptCount, gap.wall <= longest.last!.wall { return }
    longest.append(gap)
    longest.sort { $0.wall > $1.wall }
    if longest.count > Self.keptCount { longest.removeLast() }
  }

  // MARK: Readings

  private struct Reading {
    var time: UInt64 = 0
    var cpu: UInt64 = 0
    var runDelay: UInt64 = 0
    var faults = 0
    var majorFaults = 0
    var switchesForced = 0

    func gap(since last: Reading) -> Gap {
      Gap(
        wall: time - last.time, cpu: cpu - last.cpu, runDelay: runDelay - last.runDelay,
        faults: faults - last.faults, majorFaults: majorFaults - last.majorFaults,
        switchesForced: switchesForced - last.switchesForced)
    }
  }

  private func read() -> Reading {
    var reading = Reading()
    reading.time = MonotonicClock.now()
    var cpu = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu)
    reading.cpu = UInt64(cpu.tv_sec) * 1_000_000_000 + UInt64(cpu.tv_nsec)
    reading.runDelay = readRunDelay()
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(1), &usage)  // RUSAGE_THREAD, which is not visible here
    reading.faults = usage.ru_minflt
    reading.majorFaults = usage.ru_majflt
    reading.switchesForced = usage.ru_nivcsw
    return reading
  }

  /// The second of three numbers in a line.
  private func readRunDelay() -> UInt64 {
    var buffer = [UInt8](repeating: 0, count: 96)
    let count = unsafe pread(schedulerFile, &buffer, buffer.count, 0)
    guard count > 0 else { return 0 }
    let words = buffer[..<count].split(separator: 32)
    guard words.count > 1 else { return 0 }
    return words[1].reduce(0) { $0 * 10 + UInt64($1 - 48) }
  }
}
