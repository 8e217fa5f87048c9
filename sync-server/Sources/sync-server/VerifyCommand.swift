import ArgumentParser
import SyncServer

/// Looks for damage.
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Look for damage in all data, while the server runs or not.")

  @OptionGroup var data: DataOptions

  func run() async throws {
    let reports = try Verification(data.administration()).run()
    for report in reports {
      let state = report.findings.isEmpty ? "sound" : "\(report.findings.count) findings"
      print("\(report.path): \(state), \(report.objects) objects")
      for finding in report.findings { print("  \(finding)") }
    }
    if reports.contains(where: { !$0.findings.isEmpty }) { throw ExitCode.failure }
  }
}
