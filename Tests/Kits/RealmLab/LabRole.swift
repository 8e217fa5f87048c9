import EngineLab
import Foundation
import TestSupport

/// What LabProgram does as a child process of these runs, by the arguments behind `child`, which
/// keeps the names of roles apart from those of runs.
public enum LabRole {
  public static func run(_ arguments: [String]) throws {
    let words = Words(arguments)
    switch words.text(0) {
    case "write-histories": try HistoryWriter.serve(words.text(1))
    case "leaves": LeafClient(words).run()
    case "persons": PersonClient(words).run()
    case "many-files": try ManyFilesClient(words).run()
    case "change-leaves": try LeafChanger(words).run()
    case "watch-leaves": try LeafWatcher(words).run()
    default: try runThreads(words)
    }
  }

  private static func runThreads(_ words: Words) throws {
    switch words.text(0) {
    case "hold-writer":
      try WriterHolder(path: words.text(1), hold_ms: words.number(2), pause_ms: words.number(3))
        .run()
    case "load":
      try Loader().run(words.text(1))
    case "hold-on-command":
      try CommandedHolder(path: words.text(1)).run()
    case "grouped-commits":
      GroupedCommitter(
        path: words.text(1), progress: try EngineLab.Progress(path: words.text(2)),
        first: words.number(3)
      ).run()
    case "migrate": try Migrator(path: words.text(1)).run()
    case "migrate-on-command": try CommandedMigrator(path: words.text(1)).run()
    case "hold-rows": try RowHolder(path: words.text(1)).run()
    case "write-notes":
      var writer = try NoteWriter(words)
      writer.run()
    case "read-notes": try NoteReader(words).run()
    case "main-actor":
      MainThreadKind(rawValue: words.text(2))!.serve(words.text(1))
    case "nested-run-loop":
      NestedRunLoop.serve(words.text(1))
    default:
      say("no such role: \(words.text(0))")
      exit(2)
    }
  }
}

extension ChildProcess {
  /// A child that has a `LabRole`.
  convenience init(labRole arguments: [String]) throws(Failure) {
    try self.init(program: "LabProgram", ["child"] + arguments)
  }
}
