import Foundation
import RealmSwift
import SyncModels
import SyncServerKit

/// Prints what synchronisation costs, with servers in this process: small commits of each kind
/// beside those to a file that is not synced, the first sync of many objects, and the way from one
/// device to another.
///
/// `SyncCosts KIND ...` prints the costs of such commits alone, and `SyncCosts durable [KIND ...]`
/// of those that are flushed one by one, as they are where an app asks for nothing else. `SyncCosts
/// commits KIND plain|offline|online COUNT` makes as many commits of one kind, for a program that
/// counts instructions.
@main
@MainActor
struct SyncCosts {
  static func main() async throws {
    var words = Array(CommandLine.arguments.dropFirst())
    if words.first == "commits", words.count == 4 {
      guard let kind = SmallCommit(rawValue: words[1]), let file = CostFile(rawValue: words[2]),
        let count = Int(words[3])
      else { return }
      let realm = try await CommitCosts.open(file)
      let samples = try SmallCommit.fill(realm)
      for step in 0..<count { try kind.write(step, to: samples, in: realm) }
      return
    }
    let areDurable = words.first == "durable"
    if areDurable { words.removeFirst() }
    let kinds = words.compactMap { SmallCommit(rawValue: $0) }
    for kind in kinds.isEmpty ? SmallCommit.allCases : kinds {
      try await CommitCosts.compare(kind, areDurable: areDurable)
    }
    if areDurable || !kinds.isEmpty { return }
    let server = try TestServer()
    try await latency(try await server.newUser())
    try await firstSync(try await server.newUser(), words.first.flatMap { Int($0) } ?? 100_000)
  }

  /// - Parameter isDurable: whether each commit is flushed, as it is by default.
  static func configuration(_ user: User?, isDurable: Bool = false) -> Realm.Configuration {
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
    if !isDurable { configuration.durability = .relaxed }
    return configuration
  }

  static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body)
    return Double(time.components.attoseconds) / 1e18 + Double(time.components.seconds)
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

extension TestServer {
  /// A user of an app of its own, which hears of errors as programs do.
  func newUser() async throws -> User {
    let configuration = AppConfiguration(baseURL: url)
    let app = App(id: "costs-\(UUID().uuidString)", configuration: configuration)
    app.syncManager.errorHandler = { error, _ in print(error) }
    return try await app.login(credentials: .anonymous)
  }
}

extension Double {
  var short: Double { (self * 100).rounded() / 100 }
}
