import ProcessLab
import RealmLab

/// The child processes of ProcessTests, RealmSwiftTests and of the lab: does what its arguments say.
@main
struct ProcessTestProgram {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "write-histories" { return try HistoryWriter.serve(arguments[1]) }
    try ChildRole.run(arguments)
  }
}
