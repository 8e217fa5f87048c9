import ProcessLab

/// The child processes of ProcessTests and of the lab: does what its arguments say.
@main
struct ProcessTestProgram {
  static func main() throws {
    try ChildRole.run(Array(CommandLine.arguments.dropFirst()))
  }
}
