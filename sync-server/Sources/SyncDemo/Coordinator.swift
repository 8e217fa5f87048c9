import Foundation
import RealmSwift

/// Starts a server and the processes of two devices, has them edit, parts one of them from the
/// server, kills a process, and checks at the end that all have the same and nothing is lost.
final class Coordinator {
  private let program: String
  private let folder: String
  private let edits: Int
  private let mailbox = Mailbox()
  private var server: ServerProcess?
  private var children: [String: Child] = [:]
  private var entries: [String: Int] = [:]
  /// The entries that processes have made, and removed; and what was under way when one was killed.
  private var made: Set<String> = []
  private var removed: Set<String> = []
  private var begun: Set<String> = []
  private var editors: Set<String> = []
  private var ready: Set<String> = []
  private var uploaded: Set<String> = []
  private var contents: [String: [String]] = [:]
  private let startedAt = ContinuousClock.now
  private var lastShown = ContinuousClock.now
  var problems: [String] = []

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  init(server: String, folder: String, edits: Int) {
    program = server
    self.folder = folder
    self.edits = edits
  }

  func stopAll() {
    for child in children.values { child.stop() }
    server?.stop()
  }

  // MARK: The script

  func run() throws {
    let server = try ServerProcess(program: program, folder: folder)
    self.server = server
    show("a server listens at \(server.url)")
    try register(server.url)
    for name in ["left/1", "left/2", "right/1", "right/2"] { try start(name, server.url) }
    try wait("all four processes") { ready.count == 4 }
    try editOnAll("all four edit")
    try settle("all four have the same")

    show("the right device goes offline")
    children["right/1"]?.tell(.goOffline)
    try editOnAll("all four edit, the right ones on their own")
    let apart = try difference()
    show("the devices differ in \(apart) entries")
    if apart == 0 { problems.append("the device that was offline was not") }
    children["right/1"]?.tell(.goOnline)
    show("the right device is back")
    try settle("all four have the same again")

    try killAgent(server.url)
    try editOnAll("all edit again")
    try settle("all four have the same")
    try checkNothingIsLost()
    try checkServer(server)
  }

  private func register(_ url: String) throws {
    let app = App(id: Account.app, configuration: AppConfiguration(baseURL: url))
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var failure: (any Error)?
    app.emailPasswordAuth.registerUser(email: Account.email, password: Account.password) {
      unsafe failure = $0
      done.signal()
    }
    done.wait()
    if let failure = unsafe failure { throw failure }
  }

  private func start(_ name: String, _ url: String, as device: String? = nil) throws {
    let device = device ?? String(name.prefix { $0 != "/" })
    children[name] = try Child(
      name: name, arguments: ["--url", url, "--file", "\(folder)/\(device).realm"],
      mailbox: mailbox)
    // The first process of a device has the agent.
    try wait(name) { ready.contains(name) }
  }

  private func editOnAll(_ what: String) throws {
    show("\(what): \(edits) transactions each")
    editors = Set(children.keys)
    for child in children.values { child.tell(.edit(edits)) }
    try wait(what) { editors.isEmpty }
  }

  /// The agent of the left device is that of the process which opened the file first.
  private func killAgent(_ url: String) throws {
    children["left/1"]?.tell(.edit(edits * 10))
    children["left/2"]?.tell(.edit(edits))
    editors = ["left/2"]
    try wait("edits before the kill") {
      made.contains { $0.hasPrefix("left/2/") } && editors.isEmpty
    }
    children["left/1"]?.kill()
    children["left/1"] = nil
    entries["left/1"] = nil
    let killed = ContinuousClock.now
    show("the process with the left device's agent was killed while it wrote")
    editors = ["left/2"]
    children["left/2"]?.tell(.edit(1))
    try wait("an edit after the kill") { editors.isEmpty }
    uploaded = []
    children["left/2"]?.tell(.upload)
    try wait("the other process to take over") { uploaded.contains("left/2") }
    show(
      "the other one has taken over and uploaded, \(Self.text(ContinuousClock.now - killed)) later")
    ready.remove("left/3")
    try start("left/3", url)
  }

  // MARK: What all see

  private func settle(_ what: String) throws {
    let began = ContinuousClock.now
    while true {
      uploaded = []
      for child in children.values { child.tell(.upload) }
      try wait("uploads") { uploaded.count == children.count }
      try askContents()
      if Set(contents.values).count == 1 { break }
      if ContinuousClock.now - began > .seconds(30) {
        throw Failure(description: "the processes still differ in \(try difference()) entries")
      }
      receiveFor(.milliseconds(20))
    }
    let count = contents.values.first?.count ?? 0
    show("\(what): \(count) entries, \(Self.text(ContinuousClock.now - began)) after the last edit")
  }

  private func askContents() throws {
    contents = [:]
    for child in children.values { child.tell(.tellContents) }
    try wait("contents") { contents.count == children.count }
  }

  private func difference() throws -> Int {
    try askContents()
    var union: Set<String> = []
    var common: Set<String>?
    for lines in contents.values {
      union.formUnion(lines)
      common = common?.intersection(lines) ?? Set(lines)
    }
    return union.count - (common?.count ?? 0)
  }

  // MARK: At the end

  private func checkNothingIsLost() throws {
    let there = Set((contents.values.first ?? []).map { String($0.prefix { $0 != " " }) })
    let lost = made.subtracting(removed).subtracting(there)
    let strange = there.subtracting(begun)
    if !lost.isEmpty {
      problems.append("\(lost.count) entries are lost: \(lost.sorted().prefix(5))")
    }
    if !strange.isEmpty { problems.append("\(strange.count) entries are nobody's") }
    show("\(made.count) entries were made, \(removed.count) removed, none lost")
  }

  /// A device that has nothing yet gets what the server has.
  private func checkServer(_ server: ServerProcess) throws {
    let before = contents.values.first ?? []
    try start("new/1", server.url)
    try settle("a new device has what the server has")
    if contents["new/1"] != before { problems.append("the server has something else") }
    for child in children.values { child.tell(.quit) }
    server.stop()
    for line in try server.verify().split(separator: "\n") { show("server: \(line)") }
  }

  // MARK: Letters

  private func wait(_ what: String, until isDone: () -> Bool) throws {
    let deadline = DispatchTime.now() + .seconds(120)
    while !isDone() {
      guard let letter = mailbox.next(before: deadline) else {
        throw Failure(description: "waited two minutes for \(what)")
      }
      try take(letter)
    }
  }

  private func receiveFor(_ duration: DispatchTimeInterval) {
    let end = DispatchTime.now() + duration
    while let letter = mailbox.next(before: end) { try? take(letter) }
  }

  private func take(_ letter: Letter) throws {
    let name = letter.from
    switch letter.message {
    case .ready: ready.insert(name)
    case .making(let key): begun.insert(key)
    case .removing(let key): removed.insert(key)
    case .edited(let made):
      self.made.formUnion(made)
      editors.remove(name)
    case .changed(let count): showCount(count, of: name)
    case .uploaded: uploaded.insert(name)
    case .contents(let lines): contents[name] = lines
    case .problem(let text): throw Failure(description: "\(name): \(text)")
    case nil:
      if children[name] != nil { throw Failure(description: "\(name) has ended") }
    }
  }

  private func showCount(_ count: Int, of name: String) {
    entries[name] = count
    guard ContinuousClock.now - lastShown > .milliseconds(250) else { return }
    lastShown = .now
    show(entries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
  }

  private func show(_ text: String) {
    say("[\(Self.text(ContinuousClock.now - startedAt))] \(text)")
  }

  private static func text(_ duration: Duration) -> String {
    let seconds =
      Double(duration.components.seconds)
      + Double(duration.components.attoseconds) / 1e18
    return String(format: "%.2f s", seconds)
  }
}
