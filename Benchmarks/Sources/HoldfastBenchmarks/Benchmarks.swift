import ArgumentParser
import Foundation

/// Compares the engine with SQLite and LMDB on the same work, in one run.
@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast-benchmarks",
    abstract: "Compares the engine with SQLite and LMDB: same data, same durability, one run.",
    subcommands: [Compare.self, Listen.self],
    defaultSubcommand: Compare.self)
}

struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure, and print a table.",
    discussion: """
      Medians of five rounds, in which the stores take turns. The machine should do nothing else; \
      only ratios within one run mean something.
      """)

  @Flag(help: "Do very little of everything, to see that it runs.") var smoke = false
  @Option(help: "Also write the figures here, as JSON.") var json: String?
  @Option(help: "Where the files go: a file system to be measured.") var folder: String?
  @Option(help: "Only this part; may be given several times.") var part: [Part] = []

  @Option(help: "Of the engine, only rows whose names contain this.") var row: String?

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case engine, objects, wakes
  }

  func run() throws {
    let place = URL(filePath: folder ?? NSTemporaryDirectory())
      .appending(path: "holdfast-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: place) }
    let harness = Harness(scale: Scale(isSmoke: smoke), folder: place, row: row)
    for part in part.isEmpty ? Part.allCases : part {
      switch part {
      case .engine: try StoreWorkloads(harness: harness).run()
      case .objects: try ObjectWorkloads(harness: harness).run()
      case .wakes: try WakeWorkload(harness: harness).run()
      }
    }
    let results = Results(date: Date(), rounds: harness.scale.rounds, figures: harness.figures)
    print(results.text)
    if let json { try results.json().write(toFile: json, atomically: true, encoding: .utf8) }
  }
}
