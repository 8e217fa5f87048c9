import Foundation
import RealmSwift
import ToolReports

extension Coordinator {
  /// The table at the end; adds to `problems` what does not fit.
  func result() throws -> String {
    let realm = try Realm(configuration: Store.configuration(plan.file))
    let packages = realm.objects(Package.self)
    let links = packages.reduce(0) { $0 + $1.dependencies.count }
    let linksBack = packages.reduce(0) { $0 + $1.dependents.count }
    let verified = try tool.verify()
    let inspected = try tool.inspect()

    var table = TextTable([("", .left), ("", .left)])
    table.add("packages", compare(packages.count, plan.expectedPackages, "packages"))
    table.add("links", compare(links, plan.expectedLinks, "links"))
    if linksBack != links { problems.append("\(links) links, \(linksBack) links back") }
    table.add("commits", commitsText(realm))
    table.add("seen by others, quiet", text(of: latenciesInQuiet))
    table.add("seen by others, importing", text(of: latenciesWhileImporting))
    table.add("file", text(of: inspected))
    for kill in figures.importerKills { table.add("importer killed", text(of: kill)) }
    if let kill = figures.viewerKill { table.add("viewer killed", text(of: kill)) }
    table.add("verify", verified.text.split(separator: "\n").suffix(1).joined())
    problems += verified.problems.map { "damage in \($0.place): \($0.message)" }
    return table.text(indent: 2)
  }

  private func compare(_ found: Int, _ expected: Int, _ what: String) -> String {
    if found != expected { problems.append("\(found) \(what) imported, the index has \(expected)") }
    return "\(Quantity.count(found)) imported, \(Quantity.count(expected)) in the index"
  }

  private func commitsText(_ realm: Realm) -> String {
    let stored = Dictionary(
      uniqueKeysWithValues: realm.objects(Pulse.self).map { ($0.writer, $0.number) })
    let editor = commits["editor", default: 0]
    if stored["editor"] != editor {
      problems.append("the editor made \(editor) commits, \(stored["editor"] ?? 0) are stored")
    }
    return stored.sorted { $0.key < $1.key }
      .map { "\($0.key) \(Quantity.count($0.value))" }.joined(separator: ", ")
  }

  private func text(of latencies: Latencies) -> String {
    guard let median = quantile(0.5, of: latencies.fromReturn),
      let late = quantile(0.99, of: latencies.fromReturn),
      let medianOfAll = quantile(0.5, of: latencies.fromCall)
    else {
      problems.append("nobody has seen a commit")
      return "never"
    }
    return "median \(nanoseconds(median)), p99 \(nanoseconds(late)) after the commit returned "
      + "(median \(nanoseconds(medianOfAll)) after it was called; "
      + "\(Quantity.count(latencies.fromReturn.count)) times)"
  }

  private func text(of inspected: InspectReport) -> String {
    let space = inspected.space
    let share = String(
      format: "%.2f", Double(inspected.file.sizeBytes) / Double(max(1, space.dataBytes)))
    return "\(Quantity.bytes(inspected.file.sizeBytes)), "
      + "\(Quantity.bytes(inspected.file.allocatedBytes)) on disk, for "
      + "\(Quantity.bytes(space.dataBytes)) of data (\(share) times)"
  }

  private func text(of kill: Figures.ImporterKill) -> String {
    let fate = kill.stored == kill.attempted ? "was stored" : "was not stored"
    return "in commit \(kill.attempted), which \(fate); the editor waited "
      + "\(nanoseconds(kill.editorWaited)) at most, "
      + "replaced after \(nanoseconds(kill.replacedAfter))"
  }

  private func text(of kill: Figures.ViewerKill) -> String {
    let retained = kill.retainedBytes.map { ", which kept \(Quantity.bytes($0))" } ?? ""
    return "holding a version \(Quantity.number(of: Int(kill.versionsBehind), "commit")) old"
      + "\(retained); let go after \(nanoseconds(kill.pinGoneAfter)), "
      + "replaced after \(nanoseconds(kill.replacedAfter))"
  }

  private func nanoseconds(_ value: UInt64) -> String { Quantity.seconds(Double(value) / 1e9) }
}
