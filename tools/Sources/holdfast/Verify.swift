import ArgumentParser
import ToolReports

struct Verify: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks everything that can be reached, and that the rest is free.",
    discussion: """
      Walks the newest version and every version that somebody pins: checksums, order of keys, \
      counts, links against backlinks, indexes against columns, and the map of free space against \
      what is reachable: each byte is exactly one of in use, free, or waiting for a pin to go. \
      Names what is damaged. The file may be in use meanwhile; nothing is written to it.

      Exits with 1 if damage was found.
      """)

  @OptionGroup var arguments: FileArguments

  func report() throws -> VerifyReport { try arguments.databaseFile().verify() }

  func status(of report: VerifyReport) -> ExitStatus {
    report.isSound ? .fine : .damageFound
  }
}
