import ProcessLab
import RealmLab
import ScaleLab

/// The child processes of ProcessTests, RealmSwiftTests, ScaleLabTests and of the lab: does what its arguments say.
@main
struct ProcessTestProgram {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "write-histories" { return try HistoryWriter.serve(arguments[1]) }
    if try ScaleRole.run(arguments) { return }
    try ChildRole.run(arguments)
  }
}
