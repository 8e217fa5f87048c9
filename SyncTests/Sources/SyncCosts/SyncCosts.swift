import Foundation
import RealmSwift
import SyncModels
import SyncServerKit

/// Prints what synchronisation costs, with a server in this process: small commits beside those to a
/// file that is not synced, the first sync of many objects, and the way from one device to another.
@main
@MainActor
struct SyncCosts {
  static func main() async throws {
    let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
    let server = try TestServer()
    let app = App(
      id: "costs-\(UUID().uuidString)", configuration: AppConfiguration(baseURL: server.url))
    let user = try await app.login(credentials: .anonymous)
    try await smallCommits(user)
    try await latency(user)
    try await firstSync(user, count)
  }

  private static func configuration(_ user: User?) -> Realm.Configuration {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "sync-costs-\(UUID().uuidString).realm")
    var configuration =
      user?.flexibleSyncConfiguration { $0.append(QuerySubscription<Dog>(name: "all")) }
      ?? Realm.Configuration()
    configuration.fileURL = file
    configuration.objectTypes = [Dog.self, Collar.self]
    configuration.durability = .relaxed
    return configuration
  }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let time = try ContinuousClock().measure(body)
    return Double(time.components.attoseconds) / 1e18 + Double(time.components.seconds)
  }

  /// Rounds of both kinds in turn; the median of their ratios.
  private static func smallCommits(_ user: User) async throws {
    let plain = try await Realm(configuration: configuration(nil))
    let synced = try await Realm(configuration: configuration(user), downloadBeforeOpen: .always)
    synced.syncSession?.suspend()
    for realm in [plain, synced] {
      try realm.write { for age in 0..<1000 { realm.add(Dog(name: "Dog", age: age)) } }
    }
    let rounds = 9
    let commits = 2000
    var ratios: [(create: Double, update: Double)] = []
    for _ in 0..<rounds {
      var creates: [Double] = []
      var updates: [Double] = []
      for realm in [plain, synced] {
        creates.append(
          try seconds {
            for age in 0..<commits { try realm.write { realm.add(Dog(name: "New", age: age)) } }
          })
        let dogs = Array(realm.objects(Dog.self).prefix(1000))
        updates.append(
          try seconds {
            for step in 0..<commits { try realm.write { dogs[step % 1000].age = step } }
          })
      }
      ratios.append((creates[1] / creates[0], updates[1] / updates[0]))
    }
    let create = ratios.map(\.create).sorted()[rounds / 2]
    let update = ratios.map(\.update).sorted()[rounds / 2]
    print("a commit of one new object: \(create.short) of one to a file that is not synced")
    print("a commit of one changed property: \(update.short) of that")
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
