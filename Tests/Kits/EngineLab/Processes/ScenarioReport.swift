/// How a scenario ended.
public struct ScenarioReport: Sendable {
  /// Figures for people.
  public var lines: [String] = []
  /// What should not have happened; none in a good run.
  public var findings: [String] = []

  public init() {}

  public mutating func expect(_ holds: Bool, _ finding: @autoclosure () -> String) {
    if !holds { findings.append(finding()) }
  }

  public func show() {
    for line in lines { print(line) }
    for finding in findings.prefix(20) { print("WRONG: \(finding)") }
    if findings.count > 20 { print("WRONG: \(findings.count - 20) more") }
  }
}
