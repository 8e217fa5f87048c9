import ArgumentParser
import Foundation

/// Compares the engine with SQLite and LMDB on the same work, in one run.
@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast-benchmarks",
    abstract: "Compares Holdfast with SQLite and LMDB: same data, same durability, one run.",
    subcommands: [Compare.self, Listen.self],
    defaultSubcommand: Compare.self)
}

struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure, and print a table.",
    discussion: """
      Medians of five rounds, in which the stores take turns, and have to find the same. The \
      machine should do nothing else; only ratios within one run mean something.
      """)

  @Flag(help: "Do very little of everything, to see that it runs.") var smoke = false
  @Flag(help: "Fewer rows and rounds: about a minute instead of ten.") var quick = false
  @Flag(help: "Print tables for a page.") var markdown = false
  @Option(help: "Also write the figures here, as JSON.") var json: String?
  @Option(help: "Where the files go: a file system to be measured.") var folder: String?
  @Option(help: "Only this part; may be given several times.") var part: [Part] = []

  @Option(help: "Only rows whose names, or whose group's name, contain this.") var row: String?

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case engine, objects, wakes
  }

  func run() throws {
    let place = URL(filePath: folder ?? NSTemporaryDirectory())
      .appending(path: "holdfast-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: place) }
    let harness = Harness(scale: smoke ? .smoke : quick ? .quick : .full, folder: place, row: row)
    for part in part.isEmpty ? Part.allCases : part {
      harness.group = part == .wakes ? "other processes" : part.rawValue
      switch part {
      case .engine: try StoreWorkloads(harness: harness).run()
      case .objects: try ObjectWorkloads(harness: harness).run()
      case .wakes: try WakeWorkload(harness: harness).run()
      }
    }
    let report = RunReport(
      date: Date(), rounds: harness.scale.rounds, rows: harness.records.count,
      figures: harness.figures)
    print(markdown ? report.markdown : report.text)
    if let json { try report.json().write(toFile: json, atomically: true, encoding: .utf8) }
  }
}
