import Foundation
import Platform
import EngineLab
import RealmSwift
import Synchronization
import TestSupport

/// How long a loop that has asynchronous writes under way does not turn, while another process
/// keeps taking the writer for two seconds, and somebody commits transactions of ten megabytes with
/// full flushes: another process first, then a thread of the loop's own process.
///
/// A pause is the time from when a timer was due to when it was called. A second loop in the same
/// process has nothing on it but such a timer: while it pauses at the same time, the machine as a
/// whole stands still or has no processor left, and that part of a pause does not count.
public final class LoopPauses: Sendable {
  /// The longest pause that is accepted.
  public static let longestPause_ms = 5.0

  private let seconds: Int
  private let holdMilliseconds: Int
  private let directory = TemporaryDirectory()
  private let thread = LoopThread(name: "interface")
  private let controlThread = LoopThread(name: "control")
  private var path: String { directory.file("pauses.realm") }

  public init(seconds: Int, holdMilliseconds: Int = 2000) {
    self.seconds = seconds
    self.holdMilliseconds = holdMilliseconds
  }

  public func run() throws -> ScenarioReport {
    var report = ScenarioReport()
    let configuration = LabRealm.configuration(path, .full)
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for name in ["loads", "holds"] {
        realm.create(LabCounter.self, value: ["name": name, "value": 0])
      }
    }
    for place in [LoadPlace.otherProcess, .ownProcess] {
      try withExtendedLifetime(realm) { try measure(place, &report) }
    }
    thread.join()
    controlThread.join()
    return report
  }

  enum LoadPlace: String {
    case otherProcess = "another process"
    case ownProcess = "a thread of the same process"
  }

  private func measure(_ place: LoadPlace, _ report: inout ScenarioReport) throws {
    let before = try counts()
    let holder = try ChildProcess(labRole: ["hold-writer", path, String(holdMilliseconds), "500"])
    var loader: ChildProcess?
    let ownLoader = Shared<Loader?>(nil)
    switch place {
    case .otherProcess:
      loader = try ChildProcess(labRole: ["load", path])
    case .ownProcess:
      ownLoader.value = try Loader.start(path)
    }
    let control = startControl()
    let outcome = within(seconds + 120, "a loop with writes under way") { turnTheLoop() }
    let controlPauses = finish(control)
    holder.kill()
    loader?.kill()
    ownLoader.value?.stop()
    let after = try counts()
    summarise(place, outcome, controlPauses, loads: after.loads - before.loads, &report)
    report.expect(after.loads > before.loads, "nothing large was committed by \(place.rawValue)")
    report.expect(after.holds > before.holds, "nobody held the writer")
  }

  private func startControl() -> Shared<LoopProbe> {
    controlThread.performAndWait { [loop = controlThread.loop] in
      let probe = Shared(LoopProbe(loop))
      probe.value.start()
      return probe
    }
  }

  private func finish(_ control: Shared<LoopProbe>) -> [LoopProbe.Pause] {
    let pauses = controlThread.performAndWait {
      control.value.stop()
      return control.value.pauses
    }
    // The probe outlives the turn in which libuv closes its handle.
    controlThread.performAndWait { withExtendedLifetime(control) {} }
    return pauses
  }

  private func counts() throws -> (loads: Int, holds: Int) {
    let realm = try Realm(configuration: LabRealm.configuration(path, .full))
    realm.refresh()
    func count(_ name: String) -> Int {
      realm.object(ofType: LabCounter.self, forPrimaryKey: name)!.value
    }
    return (count("loads"), count("holds"))
  }

  private func turnTheLoop() -> LoopOutcome {
    let semaphore = DispatchSemaphore(value: 0)
    let interface = Shared<Interface?>(nil)
    let end = MonotonicClock.now() + UInt64(seconds) * 1_000_000_000
    thread.perform { [thread, path] in
      interface.value = Interface(thread.loop, path, end: end) { semaphore.signal() }
      interface.value!.start()
    }
    semaphore.wait()
    return thread.performAndWait {
      let outcome = interface.value!.finish()
      interface.value = nil
      return outcome
    }
  }

  // MARK: The report

  private func summarise(
    _ place: LoadPlace, _ outcome: LoopOutcome, _ control: [LoopProbe.Pause], loads: Int,
    _ report: inout ScenarioReport
  ) {
    let alone = Latencies(outcome.pauses.map { $0.length(without: control) })
    let all = Latencies(outcome.pauses.map(\.length))
    report.lines.append(
      """
      10 MB transactions by \(place.rawValue): \(loads) of them, \(seconds) s; on the loop \
      \(outcome.writes) writeAsync, \(outcome.actorWrites) asyncWrite, \
      \(outcome.changes) changes told, \(outcome.turns) calls of turn hooks
      """)
    report.lines.append("  pauses, while the empty loop turned: \(alone.summary)")
    report.lines += alone.histogram
    report.lines.append("  pauses, with those of the whole machine: \(all.summary)")
    report.lines += all.histogram
    report.lines.append(
      "  pauses of the empty loop: \(Latencies(control.map(\.length)).summary)")
    report.lines.append("  the thread's own doing between calls: \(outcome.ownSpans.summary)")
    report.lines.append("  kept from a processor by the kernel: \(outcome.runDelays.summary)")
    for gap in outcome.longest { report.lines += describe(gap) }
    report.expect(
      alone.maximum < Self.longestPause_ms,
      "the longest pause was \(alone.maximum) ms, \(place.rawValue)")
  }

  private func describe(_ gap: LoopProbe.Gap) -> [String] {
    func text(_ nanoseconds: UInt64) -> String { String(format: "%.3f", Double(nanoseconds) / 1e6) }
    let head =
      "  gap \(text(gap.wall)) ms: waited for events \(text(gap.waited)), ran \(text(gap.cpu)),"
      + " kept from a processor \(text(gap.runDelay)), slept in the kernel \(text(gap.blocked));"
      + " \(gap.faults) + \(gap.majorFaults) faults, \(gap.switchesForced) forced switches"
    return [head] + gap.notes.map { "    +\(text($0.time)) \($0.text)" }
  }
}

/// What was measured.
struct LoopOutcome: Sendable {
  var pauses: [LoopProbe.Pause]
  var ownSpans: Latencies
  var runDelays: Latencies
  var longest: [LoopProbe.Gap]
  var turns: Int
  var writes: Int
  var actorWrites: Int
  var changes: Int
}
