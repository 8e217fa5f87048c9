import Foundation
import ToolReports

/// Runs the demonstration: starts the roles, shows what they say, kills two of them, replaces them,
/// and compares what is in the file at the end with what has to be there.
final class Coordinator {
  let plan: Plan
  let tool: HoldfastTool
  let mailbox = Mailbox()
  var screen = Screen()
  var problems: [String] = []

  var importer: Child!
  var editor: Child!
  var viewers: [String: Child] = [:]
  var views: [String: View] = [:]

  var commits: [String: Int] = [:]
  var latenciesWhileImporting = Latencies()
  var latenciesInQuiet = Latencies()
  var isQuiet = false
  /// The last commit that a process has announced, by name and number.
  var announced = 0
  var acknowledged = 0
  var imported: (packages: Int, links: Int)?
  var pinnedPackages: Int?
  var longestWait: UInt64 = 0
  var readyIn: [String: UInt64] = [:]
  var lastCommitAt: [String: UInt64] = [:]
  var ended: Set<Int32> = []
  private var expectedToEnd: Set<Int32> = []
  var figures = Figures()

  init(plan: Plan) {
    self.plan = plan
    tool = HoldfastTool(file: plan.file)
  }

  // MARK: children

  func startImporter() throws {
    importer = try start(
      "importer",
      ["importer", "--file", plan.file, "--index", plan.index, "--batch", "\(plan.batchSize)"])
  }

  func startEditor() throws {
    editor = try start(
      "editor", ["editor", "--file", plan.file, "--pause", "\(plan.editPauseMilliseconds)"])
  }

  func startViewer(_ subject: String) throws {
    viewers[subject] = try start(subject, ["viewer", "--file", plan.file, "--subject", subject])
  }

  private func start(_ name: String, _ role: [String]) throws -> Child {
    let child = try Child(name: name, role: role, mailbox: mailbox)
    screen.event("\(name) started, process \(child.processIdentifier)")
    readyIn[name] = nil
    return child
  }

  func kill(_ child: Child) {
    expectedToEnd.insert(child.processIdentifier)
    child.kill()
  }

  func quit(_ child: Child) {
    expectedToEnd.insert(child.processIdentifier)
    child.tell(.quit)
  }

  // MARK: letters

  /// Takes letters until `condition` holds; false if that does not happen in time.
  @discardableResult
  func receive(for duration: Duration, until condition: () -> Bool = { false }) -> Bool {
    let deadline = DispatchTime.now() + .nanoseconds(Int(duration / .nanoseconds(1)))
    while !condition() {
      let wake = min(deadline, .now() + .milliseconds(100))
      if let letter = mailbox.next(before: wake) { take(letter) }
      screen.draw(headline: headline, views: plan.subjects.map { ($0, views[$0]) })
      if DispatchTime.now() >= deadline { return condition() }
    }
    return true
  }

  /// As `receive`; what does not come in time ends the demonstration.
  func waitFor(
    _ what: String, within duration: Duration = .seconds(120), _ condition: () -> Bool
  ) throws {
    if !receive(for: duration, until: { condition() || !isGoingWell }) {
      throw DemoError("\(what) did not come within \(duration)")
    }
    if !isGoingWell { throw DemoError(problems.joined(separator: "; ")) }
  }

  private var isGoingWell: Bool { problems.isEmpty }

  private func take(_ letter: Letter) {
    switch letter.content {
    case .ended: takeEnd(of: letter.from)
    case .message(let message): take(message, from: letter.from)
    }
  }

  private func takeEnd(of child: Child) {
    ended.insert(child.processIdentifier)
    let status = child.wait()
    let isImporterAtItsEnd = child === importer && imported != nil && status == 0
    if !expectedToEnd.contains(child.processIdentifier) && !isImporterAtItsEnd {
      problems.append("\(child.name) ended by itself with status \(status)")
    }
  }

  private func take(_ message: Message, from child: Child) {
    switch message {
    case .ready(let openedIn):
      readyIn[child.name] = openedIn
      screen.event("\(child.name) is ready after \(Quantity.seconds(Double(openedIn) / 1e9))")
    case .committing(let number): announced = number
    case .committed(let commit): take(commit, from: child)
    case .imported(let packages, let links):
      imported = (packages, links)
      screen.event(
        "import complete: \(Quantity.count(packages)) packages, \(Quantity.count(links)) links")
    case .view(let view):
      views[child.name] = view
      screen.view(view, of: child.name)
    case .seen(let sightings):
      for sighting in sightings {
        if isQuiet { latenciesInQuiet.add(sighting) } else { latenciesWhileImporting.add(sighting) }
      }
    case .pinned(let packages): pinnedPackages = packages
    case .problem(let text): problems.append("\(child.name): \(text)")
    }
  }

  private func take(_ commit: Commit, from child: Child) {
    commits[child.name, default: 0] += 1
    lastCommitAt[child.name] = commit.returnedAt
    if child === importer { acknowledged = commit.number }
    if child === editor { longestWait = max(longestWait, commit.waited) }
    if isQuiet {
      latenciesInQuiet.add(commit, by: child.name)
    } else {
      latenciesWhileImporting.add(commit, by: child.name)
    }
  }

  private var headline: String {
    let size = (try? FileManager.default.attributesOfItem(atPath: plan.file)[.size] as? UInt64) ?? 0
    let made = commits.sorted { $0.key < $1.key }
      .map { "\($0.key) \(Quantity.count($0.value))" }.joined(separator: ", ")
    return "holdfast demo   file \(Quantity.bytes(size))   commits: \(made)"
  }
}
