import ArgumentParser
import Foundation
import RealmSwift
import Storage

/// How long it takes from an unflushed commit to a callback on the loop of another process.
///
/// The others have nothing of the kind.
struct WakeWorkload {
  let harness: Harness

  /// Microseconds of one commit.
  private struct Delay {
    var fromCall: Double
    var fromReturn: Double
  }

  func run() throws {
    let times = harness.scale.of(2000, smoke: 20)
    var rounds: [[Delay]] = []
    for _ in 0..<harness.scale.rounds { rounds.append(try measure(times)) }
    let calls = rounds.map { $0.map(\.fromCall).sorted() }
    let returns = rounds.map { $0.map(\.fromReturn).sorted() }
    add(Workload.wake, calls.map { $0[$0.count / 2] })
    add(Workload.wakeLate, calls.map { $0[$0.count * 99 / 100] })
    add(Workload.wakeFromReturn, returns.map { $0[$0.count / 2] })
  }

  private func add(_ name: String, _ values: [Double]) {
    harness.add(
      Figure(
        workload: name, unit: "us", isHigherBetter: false,
        values: [HoldfastStore.name: median(values)]))
  }

  private func measure(_ times: Int) throws -> [Delay] {
    let folder = try harness.newFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try HoldfastStore(folder: folder, flushing: .none)
    try store.insert(0..<1000)
    let listener = try Listener(file: store.path)
    defer { listener.stop() }
    var delays: [Delay] = []
    for round in 0..<times {
      try store.update([round % 1000])
      let returned = monotonicNanoseconds()
      let seen = try listener.sighting(of: store.newestVersion)
      delays.append(
        Delay(
          fromCall: microseconds(from: store.commitCalledAt, to: seen),
          fromReturn: microseconds(from: returned, to: seen)))
    }
    return delays
  }

  /// None at all if it was seen before.
  private func microseconds(from start: UInt64, to end: UInt64) -> Double {
    end > start ? Double(end - start) / 1000 : 0
  }
}

/// The other process: this program once more, as `listen`.
private final class Listener {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var buffer = Data()

  init(file: String) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["listen", file]
    process.standardOutput = output
    process.standardInput = input
    try process.run()
    _ = try next()
  }

  /// The moment at which its callback first saw that version, or a newer one.
  func sighting(of version: Version) throws -> UInt64 {
    while true {
      let sighting = try next()
      if sighting.version >= version.rawValue { return sighting.time }
    }
  }

  private func next() throws -> Sighting {
    while buffer.count < MemoryLayout<Sighting>.size {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw StoreError("the listening process has gone") }
      buffer.append(more)
    }
    let sighting = buffer.withUnsafeBytes { $0.loadUnaligned(as: Sighting.self) }
    buffer = Data(buffer.dropFirst(MemoryLayout<Sighting>.size))
    return sighting
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

/// What the other process writes for each version that its callback sees.
private struct Sighting {
  var time: UInt64
  var version: UInt64
}

struct Listen: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Tell when commits of another process are seen (part of a measurement).",
    shouldDisplay: false)
  @Argument var file: String

  func run() throws {
    let loop = UVLoop()
    let database = try Database.open(path: file, options: DatabaseOptions())
    var lastVersion = database.newestVersion
    let hook = loop.onTurnStart {
      let version = database.newestVersion
      guard version != lastVersion else { return }
      lastVersion = version
      Listen.report(Sighting(time: monotonicNanoseconds(), version: version.rawValue))
    }
    let listener = try database.addCommitListener { loop.wake() }
    // Ready; and the end of the input ends this.
    Listen.report(Sighting(time: 0, version: 0))
    let watcher = Thread {
      while readLine() != nil {}
      loop.stop()
    }
    watcher.start()
    loop.run()
    withExtendedLifetime((hook, listener)) {}
    loop.close()
  }

  private static func report(_ sighting: Sighting) {
    withUnsafeBytes(of: sighting) { bytes in
      _ = Foundation.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}

/// The clock that all processes of the machine share.
func monotonicNanoseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
