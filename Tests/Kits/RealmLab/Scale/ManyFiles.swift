import EngineLab
import RealmSwift
import TestSupport

/// What a process takes that has many files open, each of them written and observed.
public struct ManyFiles {
  public var files: Int
  private let idleSeconds = 10
  /// By then the commits have been flushed, which `relaxed` leaves to the background.
  private let flushSeconds = 2
  /// The process has threads anyway: the first, the loop's, the pool's.
  public var threadsBesides: UInt64 = 16
  /// Bytes that the process may map; nil is no limit.
  public var addressSpace: UInt64?

  public init(files: Int, addressSpace: UInt64? = nil) {
    self.files = files
    self.addressSpace = addressSpace
  }

  public func run() throws -> ScenarioReport {
    let directory = TemporaryDirectory()
    let process = try ChildProcess(
      labRole: ["many-files", directory.path, String(files), String(addressSpace ?? 0)])
    _ = try process.readLine()
    var report = ScenarioReport()
    let opened = try process.expect("open", "opened", seconds: 600)
    let told = try process.expect("write", "told", seconds: 600)
    let elsewhere = try writeElsewhere(process, directory)
    let figures = try process.expect("figures", "figures")
    let flushes = try process.expect("idle \(flushSeconds)", "idle")[0]
    let idle = try process.expect("idle \(idleSeconds)", "idle")[0]
    let share = Double(idle) / Double(idleSeconds) / 1e9
    report.lines = [
      "\(files) files: opened and observed in \(Amount.ms(opened[0])); all written and"
        + " \(told[0]) observers told in \(Amount.ms(told[1])); \(elsewhere) told of another"
        + " process's commits",
      "threads \(figures[0]), descriptors \(figures[1]), address space \(Amount.mb(figures[2])),"
        + " private memory \(Amount.mb(figures[3]))",
      "idle for \(idleSeconds) s: \(Amount.ratio(share * 100)) % of a processor (the last of the"
        + " flushes before: \(Amount.ms(flushes)))",
    ]
    report.expect(told[0] == UInt64(files), "\(told[0]) of \(files) observers were told")
    report.expect(
      figures[0] <= UInt64(files / 100) + threadsBesides,
      "\(figures[0]) threads for \(files) files")
    report.expect(share < 0.01, "\(Amount.ratio(share * 100)) % of a processor when idle")
    try process.leave()
    return report
  }

  /// This process commits to some of the files; says of how many the other one was told.
  private func writeElsewhere(
    _ process: ChildProcess, _ directory: TemporaryDirectory
  ) throws -> UInt64 {
    let some = stride(from: 0, to: files, by: max(1, files / 50)).map { $0 }
    for index in some {
      let file = PersonFile(path: directory.file("\(index).realm"), durability: .relaxed)
      let realm = try Realm(configuration: file.configuration)
      try realm.write { realm.add(ScalePerson(1_000_000)) }
    }
    return try process.expect("await \(some.count)", "told", seconds: 120)[0]
  }
}
