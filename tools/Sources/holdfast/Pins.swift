import ArgumentParser
import ToolReports

struct Pins: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows which process keeps which version, since when, and what that costs.",
    discussion: """
      A version is kept as long as a process reads it; what it alone needs cannot be reused. Pins \
      of processes that have died are taken back by whoever writes next, or at once with --reap.
      """)

  @OptionGroup var arguments: FileArguments

  @Flag(help: "Take back the pins of dead processes first.")
  var reap = false

  func report() throws -> PinsReport { try arguments.databaseFile().pins(reaping: reap) }
}
