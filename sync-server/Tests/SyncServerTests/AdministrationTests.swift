import Foundation
import ServerKit
import SyncProtocol
import Testing

/// The subcommands beside a server that runs.
@Suite struct AdministrationTests {
  @Test func anOlderBackupIsARebaseThatKeepsUnsyncedWrites() async throws {
    let server = try ServerProcess()
    try await server.start()
    let token = try await server.anonymous()
    let (left, right) = (Device(1), Device(2))
    for device in [left, right] {
      try await device.write { $0.subscribe() }
      try await device.connect(server, token: token)
    }
    try await left.write { core in
      for key in 1...3 { core.addTask(Int64(key), title: "before the backup") }
    }
    try await right.wait("the tasks") { core, _ in core.tasks.count == 3 }
    let copy = server.folder.appendingPathComponent("copy").path
    let backup = try server.run(["backup", copy])
    #expect(backup.status == 0, "\(backup.output)")
    #expect(try server.run(["backup", copy]).status != 0)
    try await left.write { core in core.set("title", .string("after"), core.task(1)) }
    try await right.wait("the change") { core, _ in core.title(1) == "after" }
    _ = server.stop()
    for device in [left, right] {
      try await device.wait("the end") { _, session in session == nil }
    }
    try await right.write { $0.addTask(5, title: "offline") }
    let epoch = try await left.read { $0.storage.record.epoch }
    server.data = copy
    try await server.start()
    for device in [left, right] { try await device.connect(server, token: token) }
    for device in [left, right] {
      try await device.wait("the new history") { core, _ in
        core.storage.record.epoch != epoch && core.tasks.isSuperset(of: [1, 2, 3, 5])
          && !core.isDirty
      }
    }
    let titles = try await (left.read { $0.title(1) }, right.read { $0.title(1) })
    #expect(titles.0 == titles.1)
    let verified = try server.run(["verify"])
    #expect(verified.status == 0, "\(verified.output)")
  }

  @Test("a server that is an older copy of itself says so; devices give back to a backup of it")
  func plainCopy() async throws {
    let server = try ServerProcess()
    try await server.start()
    let token = try await server.anonymous()
    let (left, right) = (Device(1), Device(2))
    func reconnect(_ device: Device) async throws {
      try await device.wait("the end") { _, session in session == nil }
      try await device.connect(server, token: token)
    }
    for device in [left, right] {
      try await device.write { $0.subscribe() }
      try await device.connect(server, token: token)
    }
    try await left.write { $0.addTask(1, title: "before the copy") }
    try await right.wait("the task") { core, _ in core.tasks == [1] }
    #expect(server.stop() == 0)
    let copy = server.folder.appendingPathComponent("copy").path
    try FileManager.default.copyItem(atPath: server.data, toPath: copy)
    try await server.start()
    for device in [left, right] { try await reconnect(device) }
    try await left.write { $0.addTask(2, title: "after the copy") }
    try await right.wait("both tasks") { core, _ in core.tasks == [1, 2] }
    #expect(server.stop() == 0)
    let log = server.folder.appendingPathComponent("log")
    #expect(try !String(contentsOf: log, encoding: .utf8).contains("has seen more than"))
    server.data = copy
    try await server.start()
    try await reconnect(left)
    try await left.wait("what the copy has") { core, _ in core.tasks == [1] }
    #expect(try String(contentsOf: log, encoding: .utf8).contains("has seen more than"))
    #expect(server.stop() == 0)
    let backup = server.folder.appendingPathComponent("backup").path
    #expect(try server.run(["backup", backup]).status == 0)
    server.data = backup
    try await server.start()
    for device in [left, right] { try await reconnect(device) }
    for device in [left, right] {
      try await device.wait("both tasks again") { core, _ in core.tasks == [1, 2] }
    }
  }

  @Test func damageIsFound() async throws {
    let server = try ServerProcess()
    try await server.start()
    let device = Device(1)
    try await device.write { core in
      core.subscribe()
      for key in 1...200 { core.addTask(Int64(key), title: "task \(key)") }
    }
    try await device.connect(server, token: try await server.anonymous())
    try await device.waitForUpload()
    let sound = try server.run(["verify"])
    #expect(sound.status == 0 && sound.output.contains("200 objects"), "\(sound.output)")
    _ = server.stop()
    let url = URL(fileURLWithPath: server.data + "/apps/demo/data.realm")
    var bytes = try Data(contentsOf: url)
    let place = try #require(bytes.range(of: Data("task 77".utf8))).lowerBound
    bytes[place] ^= 1
    try bytes.write(to: url)
    #expect(try server.run(["verify"]).status != 0)
  }

  @Test func usersAndKeysAreManagedBesideTheServer() async throws {
    let server = try ServerProcess()
    try await server.start()
    #expect(
      try server.run([
        "app", "create", "shop", "--provider", "local-userpass",
        "--provider", "api-key",
      ]).status == 0)
    #expect(try server.run(["app", "list"]).output.contains("shop"))
    let made = try server.run(["user", "create", "shop", "ada@example.com"], input: "difference\n")
    #expect(made.status == 0, "\(made.output)")
    let login = ["provider": "local-userpass", "email": "ada@example.com"]
    func logIn(_ body: [String: String]) async throws -> Answer {
      try await server.ask("POST", "/api/app/shop/auth/login", body)
    }
    let known = try await logIn(login.merging(["password": "difference"]) { $1 })
    let id = known.text("user_id")
    #expect(made.output == id + "\n")
    #expect(try server.run(["user", "disable", "shop", id]).status == 0)
    let disabled = try await logIn(login.merging(["password": "difference"]) { $1 })
    #expect(disabled.status == 401 && disabled.text("error_code") == "UserDisabled")
    let refresh = try await server.ask(
      "POST", "/api/auth/session", token: known.text("refresh_token"))
    #expect(refresh.status == 401)
    #expect(try server.run(["user", "enable", "shop", id]).status == 0)
    #expect(
      try server.run(["user", "password", "shop", "ada@example.com"], input: "engine\n")
        .status == 0)
    #expect(try await logIn(login.merging(["password": "engine"]) { $1 }).status == 200)
    let key = try server.run(["key", "create", "shop", "robot"])
    let secret = key.output.trimmingCharacters(in: .newlines)
    #expect(try await logIn(["provider": "api-key", "key": secret]).status == 200)
    #expect(try server.run(["user", "remove", "shop", "nobody"]).status != 0)
    #expect(try await server.ask("GET", "/metrics").status == 401)
  }

  @Test func aFixedSchemaTakesNoNewClasses() async throws {
    let server = try ServerProcess()
    try await server.start()
    #expect(try server.run(["app", "create", "demo", "--no-development"]).status == 0)
    let device = Device(1)
    try await device.write { $0.addTask(1, title: "a") }
    try await device.connect(server, token: try await server.anonymous())
    try await device.wait("the schema's result") { core, _ in
      !core.storage.record.setAside.isEmpty
    }
    #expect(
      try await device.read { core in
        core.storage.record.setAside.contains { $0.type == Device.task }
      })
  }
}
