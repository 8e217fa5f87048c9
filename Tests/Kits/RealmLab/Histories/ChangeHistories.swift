import Dispatch
import EngineLab
import Foundation
import RealmSwift
import TestSupport

/// Random histories: some commits, by this thread or that, this process or another, of which
/// observers are told at once or in parts. Whatever they are told must make of their copies what
/// there is.
public final class ChangeHistories: @unchecked Sendable {
  // Sendable: the observing side is used on its thread only, the rest on the caller's.

  public struct Counts: Sendable, CustomStringConvertible {
    public var histories = 0
    public var commits = 0
    public var commitsOfOthers = 0
    public var silenced = 0
    public var changeSets = 0

    public init() {}

    public static func += (left: inout Counts, right: Counts) {
      left.histories += right.histories
      left.commits += right.commits
      left.commitsOfOthers += right.commitsOfOthers
      left.silenced += right.silenced
      left.changeSets += right.changeSets
    }

    public var description: String {
      "\(histories) histories, \(commits) commits (\(commitsOfOthers) of another process, "
        + "\(silenced) silenced for one observer), \(changeSets) change sets"
    }
  }

  public private(set) var counts = Counts()
  public private(set) var findings: [String] = []

  private let directory = TemporaryDirectory()
  private let path: String
  private let seed: UInt64
  private var random: SeededGenerator
  private let thread = LoopThread(name: "observer")
  private let writer: HistoryWriter
  private let other: ChildProcess?
  private let told = DispatchSemaphore(value: 0)
  private var commits = 0
  // On the observing thread:
  private let copies = HistorySubject.subjects.map { HistoryCopy($0) }
  private var tokens: [NotificationToken] = []
  private var image: (commits: Int, image: HistoryImage)?

  /// - Parameter withProcess: whether a part of the commits is another process's.
  public init(seed: UInt64, withProcess: Bool) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    path = directory.file(seed % 3 == 0 ? HistoryFile.encryptedName : "histories.realm")
    writer = HistoryWriter(try Realm(configuration: HistoryFile.configuration(path)))
    try writer.prepare()
    other = withProcess ? try ChildProcess(labRole: ["write-histories", path]) : nil
    thread.performAndWait { self.observe() }
    for _ in 0...copies.count { told.wait() }
  }

  public func run(histories: Int) throws {
    for _ in 0..<histories where findings.isEmpty {
      try runOne()
      counts.histories += 1
    }
    counts.changeSets = copies.reduce(0) { $0 + $1.changeSets }
  }

  public func end() {
    thread.performAndWait { self.tokens = [] }
    thread.join()
  }

  // MARK: One history

  private func runOne() throws {
    let turnObjectsMax = Bool.random(using: &random) ? 1000 : 0
    thread.performAndWait { self.realm.turnObjectsMax = turnObjectsMax }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      try commitSomewhere()
      if Int.random(in: 0..<4, using: &random) == 0 {
        thread.performAndWait { _ = self.realm.refresh() }
      }
    }
    let commits = commits
    if thread.performAndWait({ self.mustWait(for: commits) }) { told.wait() }
    let description = "seed \(seed), history \(counts.histories)"
    findings = thread.performAndWait { self.settle().map { "\(description): \($0)" } }
  }

  private func commitSomewhere() throws {
    let seed = random.next()
    commits += 1
    counts.commits += 1
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      thread.performAndWait { try! HistoryWriter(self.realm).commit(seed: seed) }
    case 1:
      let index = Int.random(in: 0..<copies.count, using: &random)
      counts.silenced += 1
      thread.performAndWait { self.commitSilently(seed, index) }
    case 2 where other != nil:
      counts.commitsOfOthers += 1
      _ = try other!.ask("\(seed)")
    default: try writer.commit(seed: seed)
    }
  }

  // MARK: The observing thread

  private var realm: Realm {
    try! Realm(configuration: HistoryFile.configuration(path))
  }

  private var toldCommits = 0
  private var awaitedCommits: Int?
  private var clock: HistoryClock { realm.objects(HistoryClock.self)[0] }

  private func observe() {
    let realm = realm
    tokens = copies.map { copy in
      copy.subject.observe(realm) { change in
        copy.follow(change, self.currentImage())
        if change.isInitial { self.told.signal() }
      }
    }
    // Comes last, so the others have been told when this is.
    tokens.append(
      realm.objects(HistoryClock.self).observe { [self] change in
        toldCommits = clock.commits
        if case .update = change, toldCommits != awaitedCommits { return }
        awaitedCommits = nil
        told.signal()
      })
  }

  /// Whether there is something to be told; then it is signalled.
  private func mustWait(for commits: Int) -> Bool {
    if toldCommits == commits { return false }
    awaitedCommits = commits
    return true
  }

  private func currentImage() -> HistoryImage {
    let commits = clock.commits
    if let image, image.commits == commits { return image.image }
    let new = HistoryImage(realm)
    image = (commits, new)
    return new
  }

  private func commitSilently(_ seed: UInt64, _ index: Int) {
    let realm = realm
    try! HistoryWriter(realm).commit(seed: seed, withoutNotifying: [tokens[index]])
    copies[index].takeOver(copies[index].subject.contents(realm), currentImage())
  }

  private func settle() -> [String] {
    let realm = realm
    for copy in copies { copy.settle(copy.subject.contents(realm), currentImage()) }
    return copies.flatMap(\.findings)
  }
}
