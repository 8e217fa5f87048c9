import Foundation
import ProcessLab

/// What a child process of these runs does, by its arguments.
public enum ThreadRole {
  public static let program = "ThreadTestProgram"

  public static func run(_ arguments: [String]) throws {
    let words = Words(arguments)
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
        path: words.text(1), progress: try ProcessLab.Progress(path: words.text(2)),
        first: words.number(3)
      ).run()
    case "main-actor":
      MainThreadKind(rawValue: words.text(2))!.serve(words.text(1))
    default:
      say("no such role: \(arguments)")
      exit(2)
    }
  }
}
