import EngineLab
import RealmLab

/// A program whose main function is asynchronous.
@main
struct AsyncMainProgram {
  @MainActor static func main() async throws {
    try await MainActorProgram(path: CommandLine.arguments[1]).run()
    say("end")
  }
}
