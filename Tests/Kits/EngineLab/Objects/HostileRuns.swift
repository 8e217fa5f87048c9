import Foundation
import TestSupport

/// Hostile files in child processes, so that a trap, a hang or a lack of memory is a finding and
/// not the end of the run.
public enum HostileRuns {
  /// A file may take this long in all its steps.
  private static let secondsMax = 20
  /// Address space of a child, kilobytes, so that memory without bound is a finding.
  private static let kilobytesMax = 6_000_000

  /// - Parameters:
  ///   - program: beside the running one; calls `serve` when its arguments say so.
  ///   - arguments: of the child: a seed and the file to begin with are added.
  public static func run(
    files: Int, seed: UInt64, program: String, arguments: [String]
  ) throws -> (refused: Int, bad: [String]) {
    var bad: [String] = []
    var refused = 0
    var next = 0
    while next < files {
      let child = try ChildProcess(
        prefix: [
          "sh", "-c", "ulimit -v \(kilobytesMax); ulimit -c 0; exec \"$@\" 2>/dev/null", "sh",
        ],
        program: program, arguments + ["\(seed)", "\(next)", "\(files)"])
      var last = "start"
      do {
        while true {
          let line = try child.readLine(seconds: secondsMax)
          if line == "done" {
            next = files
            break
          }
          if line.hasPrefix("refused ") {
            refused += Int(line.dropFirst(8)) ?? 0
          } else if line.hasPrefix("BAD ") {
            bad.append(String(line.dropFirst(4)))
          } else {
            last = line
            next = Int(line.dropFirst(5).prefix { $0 != ":" }) ?? next
          }
        }
      } catch {
        bad.append("seed \(seed), \(last): \(error)")
        next += 1
      }
      child.kill()
    }
    return (refused, bad)
  }

  /// The child's part: a line before each file, and one for each finding.
  public static func serve(seed: UInt64, from first: Int, to end: Int) throws {
    let lab = try DamageLab(seed: seed)
    var told = 0
    for number in first..<end {
      let refused = lab.outcome.refused
      lab.readHostile(number) { say($0.replacingOccurrences(of: "\n", with: " ")) }
      for line in lab.outcome.bad[told...] { say("BAD \(line)") }
      told = lab.outcome.bad.count
      if lab.outcome.refused > refused { say("refused 1") }
    }
    say("done")
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
