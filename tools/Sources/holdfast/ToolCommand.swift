import ArgumentParser
import Foundation
import Storage
import ToolReports

/// A subcommand: makes a report about one file.
protocol ToolCommand: ParsableCommand {
  associatedtype Report: TextReport
  var arguments: FileArguments { get }
  func report() throws -> Report
  /// What a report means for the exit code.
  func status(of report: Report) -> ExitStatus
}

extension ToolCommand {
  func status(of report: Report) -> ExitStatus { .fine }

  func run() throws {
    do {
      let report = try report()
      try write(report, to: .standardOutput)
      let status = status(of: report)
      if status != .fine { throw ExitStatusError(status: status) }
    } catch let error as StorageError {
      let failure = FailureReport(
        code: error.code.rawValue, message: error.description, path: error.path)
      try write(failure, to: arguments.json ? .standardOutput : .standardError)
      throw ExitStatusError(status: error.exitStatus)
    }
  }

  private func write(_ report: some TextReport, to output: FileHandle) throws {
    let text = arguments.json ? try report.json() : report.text
    output.write(Data((text + "\n").utf8))
  }
}

extension StorageError {
  /// Damage that keeps a file from being opened at all is damage, too.
  var exitStatus: ExitStatus {
    switch code {
    case .corrupt: .damageFound
    case .fileNotFound, .permissionDenied, .notADatabase, .unsupportedFormat,
      .incompatibleLockFile, .unsupportedFileSystem, .readOnly, .wrongKey,
      .encryptionUnavailable:
      .cannotOpen
    default: .failed
    }
  }
}
