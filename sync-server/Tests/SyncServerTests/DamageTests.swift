import Foundation
import ServerKit
import SyncProtocol
import Testing

/// Files of the server that are damaged, lost, or not what they seem.
@Suite struct DamageTests {
  /// A server that is not running, with two apps that have something in them.
  private func served() async throws -> ServerProcess {
    let server = try ServerProcess()
    try await server.start()
    for (number, app) in [(UInt64(1), "good"), (2, "bad")] {
      let device = Device(number)
      try await device.write { core in
        core.subscribe()
        for key in 1...100 { core.addTask(Int64(key), title: "task \(key)") }
      }
      try await device.connect(server, app: app, token: try await server.anonymous(app))
      try await device.waitForUpload()
    }
    #expect(server.stop() == 0)
    return server
  }

  private func logIn(_ server: ServerProcess, _ app: String) async throws -> Answer {
    try await server.ask("POST", "/api/app/\(app)/auth/login", ["provider": "anon-user"])
  }

  private func log(_ server: ServerProcess) throws -> String {
    try String(contentsOf: server.folder.appendingPathComponent("log"), encoding: .utf8)
  }

  enum Damage: CaseIterable {
    case empty, missing, cut, garbage

    func apply(to path: String) throws {
      let url = URL(fileURLWithPath: path)
      var bytes = try Data(contentsOf: url)
      switch self {
      case .missing: return try FileManager.default.removeItem(at: url)
      case .empty: bytes = Data()
      case .cut: bytes = bytes.prefix(100)
      case .garbage: bytes = Data(repeating: 0x5A, count: bytes.count)
      }
      try bytes.write(to: url)
    }
  }

  @Test(arguments: Damage.allCases)
  func anAppThatIsDamagedIsNamedAndTheOthersAreServed(damage: Damage) async throws {
    let server = try await served()
    let path = server.data + "/apps/bad/data.realm"
    try damage.apply(to: path)
    try await server.start()
    let ready = try await server.ask("GET", "/health/ready")
    #expect(ready.status == 503)
    #expect(ready.text("error").contains("bad") && !ready.text("error").contains("good"))
    #expect(try await server.ask("GET", "/health/live").status == 200)
    #expect(try await logIn(server, "good").status == 200)
    let refused = try await logIn(server, "bad")
    #expect(refused.status == 503 && !refused.text("error").contains("/"))
    #expect(try log(server).contains(path) && log(server).contains("backup"))
    let upgrade = try RawConnection(server)
    upgrade.send(
      "GET /sync/bad HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    #expect(try upgrade.status().contains("503"))
    let verified = try server.run(["verify"])
    #expect(verified.status != 0 && verified.output.contains("apps/good/data.realm: sound"))
  }

  @Test(arguments: [Damage.empty, .missing, .garbage])
  func aServerWhoseAccountsAreLostDoesNotBeginAnew(damage: Damage) async throws {
    let server = try await served()
    try damage.apply(to: server.data + "/accounts.realm")
    do {
      try await server.start()
      Issue.record("the server starts")
    } catch let error as ServerProcess.NotStarted {
      #expect(error.description.contains("accounts.realm"))
    }
  }

  @Test func anAppThatWasNeverUsedIsNoDamage() async throws {
    let server = try await served()
    #expect(try server.run(["app", "create", "new"]).status == 0)
    try await server.start()
    #expect(try await server.ask("GET", "/health/ready").status == 200)
    #expect(try await logIn(server, "new").status == 200)
  }

  @Test func damagedSettingsAreSaid() async throws {
    let server = try await served()
    let path = server.data + "/apps/bad/app.json"
    try #"{"isDevelopment": "yes"}"#.write(toFile: path, atomically: true, encoding: .utf8)
    try await server.start()
    #expect(try await server.ask("GET", "/health/ready").status == 503)
    #expect(try log(server).contains("\(path) is damaged: isDevelopment"))
    #expect(try await logIn(server, "good").status == 200)
  }

  // MARK: Backups

  private func backup(_ server: ServerProcess, _ name: String = "copy") throws -> String {
    let copy = server.folder.appendingPathComponent(name).path
    let made = try server.run(["backup", copy])
    try #require(made.status == 0, "\(made.output)")
    return copy
  }

  @Test func aBackupThatWasInterruptedIsNotServed() async throws {
    let server = try await served()
    let copy = try backup(server)
    try #"{"isWhole": false, "files": {}}"#.write(
      toFile: copy + "/backup.json", atomically: true, encoding: .utf8)
    server.data = copy
    do {
      try await server.start()
      Issue.record("the server starts")
    } catch let error as ServerProcess.NotStarted {
      #expect(error.description.contains("interrupted"))
    }
    let verified = try server.run(["verify"])
    #expect(verified.status != 0 && verified.output.contains("interrupted"))
  }

  @Test(arguments: ["apps/bad/data.realm", "accounts.realm", "signing.key"])
  func aBackupThatWasCopiedInPartIsNotServed(file: String) async throws {
    let server = try await served()
    let copy = try backup(server)
    let url = URL(fileURLWithPath: copy + "/" + file)
    let bytes = try Data(contentsOf: url)
    try bytes.prefix(bytes.count - 1).write(to: url)
    server.data = copy
    do {
      try await server.start()
      Issue.record("the server starts")
    } catch let error as ServerProcess.NotStarted {
      #expect(error.description.contains(file))
    }
    try FileManager.default.removeItem(at: url)
    await #expect(throws: ServerProcess.NotStarted.self) { try await server.start() }
    try bytes.write(to: url)
    try await server.start()
  }

  /// At whatever moment: under its name there is a whole backup or none, and the next one is made.
  @Test func aBackupThatIsKilledLeavesNothingUnderItsName() async throws {
    let server = try await served()
    let copy = server.folder.appendingPathComponent("copy").path
    let original = server.data
    var wholeCount = 0
    let partial = copy + ".partial"
    let steps = [100, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    for step in steps {
      try? FileManager.default.removeItem(atPath: partial)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: ServerProcess.program)
      process.arguments = ["backup", copy, "--data", original]
      process.standardError = FileHandle.nullDevice
      try process.run()
      // Killed when it has made so many files; the first one gets to its end.
      while process.isRunning, Self.fileCount(partial) < step { await Task.yield() }
      if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
      guard FileManager.default.fileExists(atPath: copy) else { continue }
      wholeCount += 1
      server.data = copy
      try await server.start()
      #expect(try await server.ask("GET", "/health/ready").status == 200)
      let verified = try server.run(["verify"])
      for app in ["good", "bad"] {
        let line = "apps/\(app)/data.realm: sound, 100 objects"
        #expect(verified.output.contains(line), "\(verified.output)")
      }
      #expect(server.stop() == 0)
      try FileManager.default.removeItem(atPath: copy)
      server.data = original
    }
    #expect(wholeCount > 0 && wholeCount < steps.count, "\(wholeCount) were whole")
    // Over what the last one may have left.
    _ = try backup(server)
    #expect(!FileManager.default.fileExists(atPath: partial))
  }

  /// How many files and folders there are in a folder, and below.
  private static func fileCount(_ folder: String) -> Int {
    FileManager.default.subpaths(atPath: folder)?.count ?? 0
  }

  @Test func whatIsNoBackupIsNotReplaced() async throws {
    let server = try await served()
    let partial = server.folder.appendingPathComponent("copy.partial").path
    try FileManager.default.createDirectory(atPath: partial, withIntermediateDirectories: true)
    try "mine".write(toFile: partial + "/note", atomically: true, encoding: .utf8)
    let copy = server.folder.appendingPathComponent("copy").path
    #expect(try server.run(["backup", copy]).status != 0)
    #expect(FileManager.default.fileExists(atPath: partial + "/note"))
  }

  @Test func serversOfOneBackupHaveHistoriesOfTheirOwn() async throws {
    let server = try await served()
    let original = server.data
    let copy = try backup(server)
    let second = server.folder.appendingPathComponent("second").path
    try FileManager.default.copyItem(atPath: copy, toPath: second)
    var epochs: Set<UInt64> = []
    for data in [original, copy, second] {
      server.data = data
      try await server.start()
      let device = Device(UInt64(10 + epochs.count))
      try await device.write { $0.subscribe() }
      try await device.connect(server, app: "good", token: try await server.anonymous("good"))
      try await device.wait("the download") { core, _ in core.tasks.count == 100 }
      epochs.insert(try await device.read { $0.storage.record.epoch })
      #expect(server.stop() == 0)
    }
    #expect(epochs.count == 3)
  }
}
