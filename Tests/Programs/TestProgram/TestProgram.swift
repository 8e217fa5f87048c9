import EngineLab

/// The child processes of tests and labs of the layers below the object API: does what its
/// arguments say.
@main
struct TestProgram {
  @MainActor static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "coordinate": try CoordinationClient(path: arguments[1]).run()
    case "loop-on-main-thread": LoopOnMainThread.run()
    default: try ChildRole.run(arguments)
    }
  }
}
