import ThreadsLab

/// The child processes of ThreadsLabTests and of the lab: does what its arguments say.
@main
struct ThreadTestProgram {
  static func main() throws {
    try ThreadRole.run(Array(CommandLine.arguments.dropFirst()))
  }
}
