import Foundation
import RealmSwift
import SyncModels
import SyncServerKit

/// Prints what synchronisation costs, with a server in this process: small commits of each kind
/// beside those to a file that is not synced, the first sync of many objects, and the way from one
/// device to another.
///
/// `SyncCosts commits KIND plain|synced COUNT` makes as many commits of one kind, for a program
/// that counts instructions.
@main
@MainActor
struct SyncCosts {
  static func main() async throws {
    let words = CommandLine.arguments.dropFirst()
    let server = try TestServer()
    let app = App(
      id: "costs-\(UUID().uuidString)", configuration: AppConfiguration(baseURL: server.url))
    let user = try await app.login(credentials: .anonymous)
    if words.first == "commits", words.count == 4 {
      let (kind, file, count) = (Array(words)[1], Array(words)[2], Array(words)[3])
      guard let kind = SmallCommit(rawValue: kind), let count = Int(count) else { return }
      return try await make(count, kind, file == "synced" ? user : nil)
    }
    for kind in SmallCommit.allCases { try await compare(kind, user) }
    try await latency(user)
    try await firstSync(user, words.first.flatMap { Int($0) } ?? 100_000)
  }

  private static func configuration(_ user: User?) -> Realm.Configuration {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "sync-costs-\(UUID().uuidString).realm")
    var configuration =
      user?.flexibleSyncConfiguration {
        $0.append(QuerySubscription<Dog>(name: "all"))
        $0.append(QuerySubscription<Sample>(name: "samples"))
      }
      ?? Realm.Configuration()
    configuration.fileURL = file
    configuration.objectTypes = [Dog.self, Collar.self, Sample.self, SamplePart.self]
    configuration.durability = .relaxed
    return configuration
  }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body)
    return Double(time.components.attoseconds) / 1e18 + Double(time.components.seconds)
  }

  /// A file, synced if there is a user, whose agent rests.
  private static func restingRealm(_ user: User?) async throws -> Realm {
    let configuration = configuration(user)
    guard user != nil else { return try await Realm(configuration: configuration) }
    let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
    realm.syncSession?.suspend()
    return realm
  }

  /// Rounds of both files in turn; the median of their ratios.
  private static func compare(_ kind: SmallCommit, _ user: User) async throws {
    let rounds = 9
    let commits = 1000
    var files: [(realm: Realm, samples: [Sample])] = []
    for user in [nil, user] {
      let realm = try await restingRealm(user)
      files.append((realm, try SmallCommit.fill(realm)))
    }
    var ratios: [Double] = []
    for round in 0..<rounds {
      let times = try files.map { realm, samples in
        try seconds {
          for step in round * commits..<(round + 1) * commits {
            try kind.write(step, to: samples, in: realm)
          }
        }
      }
      ratios.append(times[1] / times[0])
    }
    let ratio = ratios.sorted()[rounds / 2].short
    print("a commit of \(kind.title): \(ratio) of one to a file that is not synced")
  }

  private static func make(_ count: Int, _ kind: SmallCommit, _ user: User?) async throws {
    let realm = try await restingRealm(user)
    let samples = try SmallCommit.fill(realm)
    for step in 0..<count { try kind.write(step, to: samples, in: realm) }
  }

  private static func latency(_ user: User) async throws {
    let one = try await Realm(configuration: configuration(user), downloadBeforeOpen: .always)
    let two = try await Realm(configuration: configuration(user), downloadBeforeOpen: .always)
    var times: [Double] = []
    let dog = try one.write { one.create(Dog.self, value: ["name": "Rex"]) }
    for age in 1...200 {
      let clock = ContinuousClock()
      let begin = clock.now
      let (arrivals, arrived) = AsyncStream<Void>.makeStream()
      let token = two.observe { _, realm in
        if realm.objects(Dog.self).first(where: { $0._id == dog._id })?.age == age {
          arrived.yield()
        }
      }
      try one.write { dog.age = age }
      for await _ in arrivals { break }
      token.invalidate()
      let time = clock.now - begin
      times.append(Double(time.components.attoseconds) / 1e15)
    }
    print("from a commit to the other device's callback: \(times.sorted()[100].short) ms")
  }

  private static func firstSync(_ user: User, _ count: Int) async throws {
    let source = try await Realm(configuration: configuration(user), downloadBeforeOpen: .always)
    let writing = try seconds {
      for start in stride(from: 0, to: count, by: 10_000) {
        try source.write {
          for age in start..<min(count, start + 10_000) {
            source.add(Dog(name: "Dog \(age)", age: age))
          }
        }
      }
    }
    let clock = ContinuousClock()
    var begin = clock.now
    try await source.syncSession?.wait(for: .upload)
    let upload = clock.now - begin
    begin = clock.now
    let copy = try await Realm(configuration: configuration(user), downloadBeforeOpen: .always)
    let download = clock.now - begin
    print(
      "\(count) objects: written in \(writing.short) s, uploaded in \(upload), "
        + "downloaded by another device in \(download): \(copy.objects(Dog.self).count)")
  }
}

extension Double {
  fileprivate var short: Double { (self * 100).rounded() / 100 }
}
