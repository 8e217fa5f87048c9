import Foundation
import RealmSwift
import SyncModels
import SyncServerKit
import Testing

/// A process of `SyncDevice`.
final class DeviceProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ app: App, _ url: String, _ configuration: Realm.Configuration) throws {
    let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    process.executableURL = products.appendingPathComponent("SyncDevice")
    process.arguments = [app.appId, url, configuration.fileURL!.path, "a@b.c", "secret"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(readLine() == "open")
  }

  private var rest: [UInt8] = []

  func readLine() -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      rest += more
    }
  }

  func write(_ name: String) {
    input.fileHandleForWriting.write(Data("\(name)\n".utf8))
    #expect(readLine() == "wrote \(name)")
  }

  func ask(_ question: String) -> String? {
    input.fileHandleForWriting.write(Data("\(question)\n".utf8))
    return readLine()
  }

  func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

@MainActor
@Suite("several processes on one synced file", .serialized, .timeLimit(.minutes(2)))
struct ProcessTests {
  @Test("share one agent, and another one takes over at once when it is killed")
  func takeover() async throws {
    try await TwoDevices.with(hasAccount: true) { devices in
      let witness = try await Realm(configuration: devices.right.configuration)
      try witness.write { witness.add(Dog(name: "first")) }
      #expect(try await devices.makeLeftFile() == 1)
      let agent = try DeviceProcess(
        devices.app, devices.server.url, devices.left.configuration)
      agent.write("by the agent")
      #expect(await waits(witness) { $0.objects(Dog.self).count == 2 })
      let realm = try await Realm(configuration: devices.left.configuration)
      let session = try #require(realm.syncSession)
      try realm.write { realm.add(Dog(name: "by another")) }
      #expect(await waits(witness) { $0.objects(Dog.self).count == 3 })
      agent.write("the last")
      agent.kill()
      let killed = ContinuousClock.now
      try realm.write { realm.add(Dog(name: "after it")) }
      try await session.wait(for: .upload)
      let taken = ContinuousClock.now - killed
      // Far more than it takes, for machines that do other things as well.
      #expect(taken < .seconds(10), "\(taken)")
      #expect(await waits(witness) { $0.objects(Dog.self).count == 5 })
      #expect(names(realm) == names(witness))
    }
  }

  @Test("whose user has logged out lets another one synchronise it, until it takes over again")
  func loggedOut() async throws {
    try await TwoDevices.with(hasAccount: true) { devices in
      try await devices.makeLeftFile()
      let realm = try await Realm(configuration: devices.left.configuration)
      let session = try #require(realm.syncSession)
      try await session.wait(for: .download)
      let other = try DeviceProcess(
        devices.app, devices.server.url, devices.left.configuration)
      let batches = try devices.server.batches()
      try await devices.user.logOut()
      other.write("by the other")
      for await _ in batches.prefix(1) {}
      #expect(session.state == .invalid)
      other.kill()
      try realm.write { realm.add(Dog(name: "unsent")) }
      try await logIn(devices.app)
      try await session.wait(for: .upload)
      #expect(names(realm) == ["by the other", "unsent"])
    }
  }

  @Test("stay suspended until none of them has it open any more")
  func suspendedUntilClosed() async throws {
    try await TwoDevices.with(hasAccount: true) { devices in
      let (url, configuration) = (devices.server.url, devices.left.configuration)
      let first = try DeviceProcess(devices.app, url, configuration)
      #expect(first.ask("suspend") == "inactive")
      let second = try DeviceProcess(devices.app, url, configuration)
      first.kill()
      let third = try DeviceProcess(devices.app, url, configuration)
      second.kill()
      #expect(third.ask("state") == "inactive")
      third.kill()
      let realm = try await Realm(configuration: configuration)
      let session = try #require(realm.syncSession)
      #expect(session.state == .active)
      try realm.write { realm.add(Dog(name: "Rex")) }
      try await session.wait(for: .upload)
    }
  }

  private func names(_ realm: Realm) -> Set<String> { Set(realm.objects(Dog.self).map(\.name)) }
}
