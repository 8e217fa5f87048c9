import Foundation
import Storage
import ToolReports

/// Tells how far a long run has come, on the standard error output: on a terminal one line that
/// changes, else a line now and then. Runs of a second or two say nothing.
final class ProgressLine {
  private let isTerminal = isatty(2) != 0
  private let clock = ContinuousClock()
  private var next: ContinuousClock.Instant
  private var hasShown = false

  init() {
    next = clock.now + (isTerminal ? .seconds(1) : .seconds(30))
  }

  func show(_ progress: VerifyProgress) {
    show {
      let number =
        "version \(progress.version) (\(progress.versionNumber) of \(progress.versionCount))"
      return "\(number): \(Quantity.bytes(progress.bytesDone)) of nodes checked, in a file of "
        + Quantity.bytes(progress.bytesTotal)
    }
  }

  func show(version: Version, table: String, objects: Int) {
    show { "version \(version): \(Quantity.number(of: objects, "object")) checked, now \(table)" }
  }

  private func show(_ text: () -> String) {
    guard clock.now >= next else { return }
    next = clock.now + (isTerminal ? .milliseconds(200) : .seconds(30))
    hasShown = true
    write(isTerminal ? "\r\u{1B}[K" + text() : text() + "\n")
  }

  /// Takes the line away.
  func end() {
    if hasShown, isTerminal { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
