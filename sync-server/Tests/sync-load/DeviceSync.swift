import ArgumentParser
import Foundation
import RealmSwift
import ServerKit

/// What users do: an app with a file, its agent, and a main loop that must not stand still while
/// the agent fills the file.
struct DeviceSync: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A device's first sync, and the longest pause of its main loop.")

  @Option var objects = 100_000
  @Option(help: "How many devices, one after the other.") var times = 1

  func run() async throws {
    // The server is another machine's work: it takes what the device leaves of the processors.
    let server = try await SyncLoad.server(niceness: 19)
    unsafe setenv("XDG_DATA_HOME", server.folder.path, 1)
    let app = App(
      id: "demo", configuration: AppConfiguration(baseURL: "http://127.0.0.1:\(server.port)"))
    let user = try await app.login(credentials: .anonymous)
    try await fill(user, server.folder)
    for number in 1...max(1, times) {
      try await measure(Self.configuration(user, server.folder, "device \(number)"))
    }
  }

  private func measure(_ configuration: Realm.Configuration) async throws {
    let device = try LoopDevice(configuration, waitingFor: objects)
    let idle = IdleLoop()
    let measured = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: device.run()) }
    }
    let machine = await idle.end()
    print("first sync of \(objects): \(measured.seconds) s")
    let pauses = measured.pauses
    print("longest pause of the main loop: \(pauses.longest()) ms")
    print(
      "  while a loop beside it that does nothing turned: \(pauses.longest(without: machine)) ms")
    print("  longest pause of that loop: \(machine.longest()) ms")
    print("turns that were more than 5 ms late: \(pauses.late)")
  }

  private static func configuration(
    _ user: User, _ folder: URL, _ name: String
  ) -> Realm.Configuration {
    var configuration = user.flexibleSyncConfiguration { subscriptions in
      if subscriptions.count == 0 { subscriptions.append(QuerySubscription<Small>(name: "all")) }
    }
    configuration.fileURL = folder.appendingPathComponent("\(name).realm")
    configuration.objectTypes = [Small.self]
    return configuration
  }

  private func fill(_ user: User, _ folder: URL) async throws {
    let start = ContinuousClock.now
    let configuration = Self.configuration(user, folder, "source")
    let session = try Self.write(objects, configuration)
    try await session?.wait(for: .upload)
    print("written and uploaded: \(SyncLoad.seconds(ContinuousClock.now - start)) s")
  }

  private static func write(
    _ objects: Int, _ configuration: Realm.Configuration
  ) throws -> SyncSession? {
    let realm = try Realm(configuration: configuration)
    for first in stride(from: 0, to: objects, by: 10_000) {
      try realm.write {
        for key in first..<min(first + 10_000, objects) {
          realm.add(Small(value: ["_id": key, "title": "object \(key)"] as [String: Any]))
        }
      }
    }
    return realm.syncSession
  }
}

/// An object of the measurements.
final class Small: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var title: String
  @Persisted var count: Int
}

/// A device whose main loop has a realm that follows what the agent brings, with an observer.
private final class LoopDevice: @unchecked Sendable {
  // Sendable: used by the thread that calls `run` alone.

  struct Measured {
    var seconds = 0.0
    var pauses = LoopPauses()
  }

  private let configuration: Realm.Configuration
  private let objects: Int

  init(_ configuration: Realm.Configuration, waitingFor objects: Int) throws {
    self.configuration = configuration
    self.objects = objects
  }

  func run() -> Measured {
    var measured = Measured()
    let loop = UVLoop()
    let start = ContinuousClock.now
    guard let realm = try? Realm(configuration: configuration) else { return measured }
    let all = realm.objects(Small.self)
    let wanted = objects
    let token = all.observe { _ in if all.count == wanted { loop.stop() } }
    measured.pauses = LoopPauses()
    loop.schedule(after: .milliseconds(1), every: .milliseconds(1)) { measured.pauses.turn() }
    loop.run()
    token.invalidate()
    measured.seconds = SyncLoad.seconds(ContinuousClock.now - start)
    return measured
  }
}
