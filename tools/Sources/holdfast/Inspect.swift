import ArgumentParser
import ToolReports

struct Inspect: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows schema, objects, versions, and what the space goes to.",
    discussion: """
      Space is told apart by table, property and index, history of changes, what only older pinned \
      versions see, and what is free. Reads one version while others go on writing.
      """)

  @OptionGroup var arguments: FileArguments

  func report() throws -> InspectReport { try arguments.databaseFile().inspect() }
}
