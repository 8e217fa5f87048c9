import RealmSwift
import SyncServerKit

/// What commits are made to.
enum CostFile: String, CaseIterable {
  /// A file that is not synced.
  case plain
  /// A synced one whose session is suspended: what a commit notes is all that it costs.
  case offline
  /// A synced one whose agent is connected, and sends what is written while more is.
  case online
}

/// Small commits to each kind of file, in turn.
@MainActor
enum CommitCosts {
  private static let rounds = 9
  private static let commits = 10_000
  private static let durableCommits = 1000
  /// Servers live as long as the program.
  private static var servers: [TestServer] = []

  /// A new file, with a server of its own if it is synced.
  static func open(_ file: CostFile, isDurable: Bool = false) async throws -> Realm {
    guard file != .plain else {
      return try await Realm(configuration: SyncCosts.configuration(nil, isDurable: isDurable))
    }
    let server = try TestServer()
    servers.append(server)
    let user = try await server.newUser()
    let realm = try await Realm(
      configuration: SyncCosts.configuration(user, isDurable: isDurable),
      downloadBeforeOpen: .always)
    if file == .offline { realm.syncSession?.suspend() }
    return realm
  }

  /// Rounds of all files, one after the other; the medians of what the synced ones take for what
  /// the plain one does. What the agent has not sent in its round it sends before the next.
  static func compare(_ kind: SmallCommit, areDurable: Bool) async throws {
    let commits = areDurable ? durableCommits : commits
    var files: [(realm: Realm, samples: [Sample])] = []
    for file in CostFile.allCases {
      let realm = try await open(file, isDurable: areDurable)
      files.append((realm, try SmallCommit.fill(realm)))
    }
    try await files[2].realm.syncSession?.wait(for: .upload)
    var plain: [Double] = []
    var ratios: [[Double]] = [[], []]
    for round in 0..<rounds {
      var times: [Double] = []
      for (realm, samples) in files {
        times.append(
          try SyncCosts.seconds {
            for step in round * commits..<(round + 1) * commits {
              try kind.write(step, to: samples, in: realm)
            }
          })
      }
      try await files[2].realm.syncSession?.wait(for: .upload)
      plain.append(times[0])
      ratios[0].append(times[1] / times[0])
      ratios[1].append(times[2] / times[0])
    }
    let microseconds = (plain.sorted()[rounds / 2] / Double(commits) * 1e6).short
    let medians = ratios.map { $0.sorted()[rounds / 2].short }
    print(
      "a commit of \(kind.title): \(microseconds) us in a file that is not synced, "
        + "\(medians[0]) times that with the agent at rest, \(medians[1]) with it at work")
  }
}
