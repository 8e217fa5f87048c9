/// What is known to break a rule, and how often: a number that may only sink.
struct Allowance {
  let rule: String
  /// By whatever the rule counts by: a file, a pair of folders, a name.
  let known: [String: Int]

  /// What is wrong, in sentences; empty if everything is as the list says.
  func complaints(about findings: [String: [String]]) -> [String] {
    var complaints: [String] = []
    for (key, found) in findings where found.count > known[key, default: 0] {
      let allowed = known[key, default: 0]
      complaints.append(
        "\(rule): \(key) has \(found.count), \(allowed) allowed: \(found.joined(separator: "; "))")
    }
    for (key, allowed) in known {
      let count = findings[key]?.count ?? 0
      guard count < allowed else { continue }
      complaints.append("\(rule): \(key) has \(count) now: lower its number in the list")
    }
    return complaints.sorted()
  }
}
