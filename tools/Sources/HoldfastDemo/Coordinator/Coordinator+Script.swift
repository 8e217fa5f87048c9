import Foundation
import RealmSwift
import ToolReports

extension Coordinator {
  /// The demonstration from beginning to end.
  func run() throws {
    for subject in plan.subjects { try startViewer(subject) }
    try waitFor("both viewers") { plan.subjects.allSatisfy { readyIn[$0] != nil } }
    try startEditor()
    try startImporter()
    try waitFor("the first commits") { acknowledged >= 3 && commits["editor", default: 0] >= 3 }

    for _ in 0..<plan.importerKills {
      try killImporterInACommit()
      let commitsHere = acknowledged
      try waitFor("the import to go on") { acknowledged >= commitsHere + 5 || imported != nil }
    }
    try killViewerThatPins()

    try waitFor("the end of the import", within: .seconds(600)) { imported != nil }
    isQuiet = true
    receive(for: plan.quiet)
    try stopEveryone()
  }

  /// Kills the importer between the announcement of a commit and its acknowledgement. If the
  /// acknowledgement was faster after all, the next one is tried.
  private func killImporterInACommit() throws {
    while imported == nil {
      let before = announced
      longestWait = 0
      try waitFor("a commit of the importer") { announced > before || imported != nil }
      let victim = importer!
      let killedAt = monotonicNanoseconds()
      kill(victim)
      try waitFor("the importer's end") { ended.contains(victim.processIdentifier) }
      let wasInside = acknowledged < announced
      let (acknowledged, attempted) = (acknowledged, announced)
      screen.event("importer killed in commit \(attempted), \(acknowledged) acknowledged")
      let stored = try storedCommits()
      if stored < acknowledged || stored > attempted {
        problems.append(
          "\(acknowledged) commits acknowledged, \(attempted) attempted, \(stored) stored")
      }
      try startImporter()
      try waitFor("the new importer") { self.acknowledged > stored || imported != nil }
      guard wasInside else {
        figures.missedKills += 1
        continue
      }
      figures.importerKills.append(
        .init(
          acknowledged: acknowledged, stored: stored, attempted: attempted,
          editorWaited: longestWait,
          replacedAfter: (lastCommitAt["importer"] ?? killedAt) - killedAt))
      return
    }
    throw DemoError("the import was over before its importer could be killed in a commit")
  }

  private func storedCommits() throws -> Int {
    let realm = try Realm(configuration: Store.configuration(plan.file))
    realm.refresh()
    return realm.object(ofType: ImportState.self, forPrimaryKey: 0)?.commits ?? 0
  }

  /// Lets a viewer hold an old version while others commit, then kills it.
  private func killViewerThatPins() throws {
    let victim = viewers["edits"]!
    victim.tell(.pin)
    try waitFor("the pin") { pinnedPackages != nil }
    let sizeBefore = try fileSize()
    let edits = commits["editor", default: 0]
    try waitFor("edits under the pin") {
      commits["editor", default: 0] >= edits + plan.editsUnderPin
    }

    let report = try tool.pins()
    guard let pin = pins(of: victim, in: report).min(by: { $0.version < $1.version }) else {
      problems.append("holdfast pins does not show the pin of process \(victim.processIdentifier)")
      return
    }
    screen.event(
      "viewer holds version \(pin.version), \(report.newestVersion - pin.version) behind; killed")
    let growth = Int64(try fileSize()) - Int64(sizeBefore)
    let killedAt = monotonicNanoseconds()
    kill(victim)
    views["edits"] = nil
    try startViewer("edits")
    let startedAt = monotonicNanoseconds()
    try waitForEndOfPins(of: victim)
    let goneAt = monotonicNanoseconds()
    try waitFor("the new viewer") { views["edits"] != nil }
    figures.viewerKill = .init(
      version: pin.version, versionsBehind: report.newestVersion - pin.version,
      retainedBytes: pin.retainedBytes, fileGrowth: growth, pinGoneAfter: goneAt - killedAt,
      replacedAfter: monotonicNanoseconds() - startedAt)
    screen.event("pin taken back, viewer replaced")
  }

  /// Nobody tells when a pin is taken back, so the tool is asked again and again.
  private func waitForEndOfPins(of child: Child) throws {
    for _ in 0..<200 {
      if pins(of: child, in: try tool.pins()).isEmpty { return }
      receive(for: .milliseconds(20))
    }
    throw DemoError("the pins of process \(child.processIdentifier) were not taken back")
  }

  private func pins(of child: Child, in report: PinsReport) -> [PinsReport.Pin] {
    report.participants.filter { $0.processIdentifier == child.processIdentifier }.flatMap(\.pins)
  }

  func fileSize() throws -> UInt64 {
    try FileManager.default.attributesOfItem(atPath: plan.file)[.size] as? UInt64 ?? 0
  }

  private func stopEveryone() throws {
    quit(editor)
    try waitFor("the editor's end") { ended.contains(editor.processIdentifier) }
    // Viewers show the last change before they go.
    receive(for: .milliseconds(500))
    for viewer in viewers.values { quit(viewer) }
    try waitFor("the viewers' end") {
      viewers.values.allSatisfy { ended.contains($0.processIdentifier) }
    }
  }

  func stopAfterFailure() {
    for child in [importer, editor].compactMap({ $0 }) + viewers.values { kill(child) }
  }
}
