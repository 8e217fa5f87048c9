import ServerKit
import SyncProtocol
import Testing

/// What devices see, by the queries that they subscribe to.
@Suite struct SubscriptionTests {
  /// A server, and a device that writes tasks and sees all of them.
  private func writer(_ tasks: @escaping @Sendable (inout Device.Core) -> Void) async throws -> (
    ServerProcess, Device
  ) {
    let server = try ServerProcess()
    try await server.start()
    let writer = Device(1)
    try await writer.write { core in
      core.subscribe(to: [
        Subscription(type: Device.task, query: ""), Subscription(type: "Project", query: ""),
      ])
      tasks(&core)
    }
    try await writer.connect(server, token: try await server.anonymous())
    try await writer.waitForUpload()
    return (server, writer)
  }

  private func reader(_ server: ServerProcess, _ query: String) async throws -> Device {
    let reader = Device(2)
    try await reader.write { $0.subscribe(query) }
    try await reader.connect(server, token: try await server.anonymous())
    return reader
  }

  @Test(arguments: [
    ("owner == 'me'", [1, 2]), ("owner IN {'you', 'them'}", [3, 4]), ("priority > 2", [3, 4]),
    ("title CONTAINS[c] 'TASK 2'", [2]), ("_id == 3 OR _id == 1", [1, 3]),
    ("owner == 'me' AND priority == 1", [1]), ("NOT owner == 'me'", [3, 4]),
    ("ANY tags == 'urgent'", [2]), ("project.name == 'ship'", [4]), ("parts.weight > 5", [1]),
    ("notes['a'] == 'b'", [3]), ("value == 7", [1]), ("value[0] == 'deep'", [2]),
    ("7 IN marks", [2]), ("tags.@count == 0", [1, 3, 4]),
  ])
  func selectsWhatTheQuerySays(query: String, expected: [Int64]) async throws {
    let (server, _) = try await writer { core in
      for (key, owner) in [(Int64(1), "me"), (2, "me"), (3, "you"), (4, "them")] {
        core.addTask(key, title: "task \(key)", owner: owner, priority: key)
      }
      let tags = core.collection("tags")
      core.insert(.string("urgent"), at: 0, of: tags, in: core.task(2), now: Device.now)
      let parts = core.collection("parts")
      core.insert(
        .object(core.name("Part")), at: 0, of: parts, in: core.task(1), now: Device.now)
      let made = core.storage.state(of: core.task(1))!.containerKinds
        .first { $0.value == .object(core.name("Part")) }!.key
      core.set(
        .property(core.name("weight")), of: made, in: core.task(1), to: .int(9), now: Device.now)
      core.set(
        .key("a"), of: core.collection("notes"), in: core.task(3), to: .string("b"),
        now: Device.now)
      core.set(
        .member(.int(7)), of: core.collection("marks"), in: core.task(2), to: .bool(true),
        now: Device.now)
      core.set("value", .int(7), core.task(1))
      core.set("value", .list, core.task(2))
      let list = core.storage.state(of: core.task(2))!.containerKinds
        .first { $0.value == .list && !$0.key.isDeclared }!.key
      core.insert(.string("deep"), at: 0, of: list, in: core.task(2), now: Device.now)
      // The link comes before what it leads to.
      core.set("project", .link(core.project("p")), core.task(4))
      core.create(core.project("p"), now: Device.now)
      core.set("name", .string("ship"), core.project("p"))
    }
    let reader = try await reader(server, query)
    try await reader.wait("the first download") { core, _ in
      core.storage.record.completeQueryVersion == 1
    }
    #expect(try await reader.read { $0.tasks } == Set(expected))
  }

  @Test func whatComesIntoViewAppearsAndWhatLeavesGoes() async throws {
    let (server, writer) = try await writer { $0.addTask(1, title: "a", owner: "you") }
    let reader = try await reader(server, "owner == 'me'")
    try await reader.wait("the first download") { core, _ in
      core.storage.record.completeQueryVersion == 1
    }
    #expect(try await reader.read { $0.tasks } == [])
    try await writer.write { core in core.set("owner", .string("me"), core.task(1)) }
    try await reader.wait("the task") { core, _ in core.title(1) == "a" }
    try await writer.write { core in core.set("owner", .string("you"), core.task(1)) }
    try await reader.wait("its going") { core, _ in core.tasks.isEmpty }
    #expect(try await writer.read { $0.tasks } == [1])
  }

  @Test func whatLinksToAnObjectDecidesToo() async throws {
    let (server, writer) = try await writer { $0.create($0.project("p"), now: Device.now) }
    let reader = Device(2)
    try await reader.write {
      $0.subscribe(to: [
        Subscription(type: "Project", query: "ANY @links.Task.project.priority > 3")
      ])
    }
    try await reader.connect(server, token: try await server.anonymous())
    try await reader.wait("the first download") { core, _ in
      core.storage.record.completeQueryVersion == 1
    }
    try await writer.write { core in
      core.addTask(1, title: "a", priority: 5)
      core.set("project", .link(core.project("p")), core.task(1))
    }
    try await reader.wait("the project") { core, _ in core.exists(core.project("p")) }
    try await writer.write { core in core.set("priority", .int(1), core.task(1)) }
    try await reader.wait("its going") { core, _ in !core.exists(core.project("p")) }
  }

  @Test func whatOtherObjectsDecideIsSeenWhenTheyChange() async throws {
    let (server, writer) = try await writer { core in
      core.addTask(1, title: "a")
      core.set("project", .link(core.project("p")), core.task(1))
      core.create(core.project("p"), now: Device.now)
    }
    let reader = try await reader(server, "project.name == 'ship'")
    try await reader.wait("the first download") { core, _ in
      core.storage.record.completeQueryVersion == 1
    }
    try await writer.write { core in core.set("name", .string("ship"), core.project("p")) }
    try await reader.wait("the task") { core, _ in core.title(1) == "a" }
    try await writer.write { core in core.delete(core.project("p"), now: Device.now) }
    try await reader.wait("its going") { core, _ in core.tasks.isEmpty }
    try await writer.write { core in
      core.create(core.project("p"), now: Device.now)
      core.set("name", .string("ship"), core.project("p"))
    }
    try await reader.wait("its coming back") { core, _ in core.title(1) == "a" }
  }

  @Test(arguments: [
    ("nothing == 1", "nothing"), ("owner ==", "parse"), ("owner > 1", "owner"),
    ("TRUEPREDICATE LIMIT(1)", "LIMIT"), ("project.name.x == 1", "x"),
  ])
  func aQueryThatCannotBeIsNamed(query: String, word: String) async throws {
    let (server, _) = try await writer { $0.addTask(1, title: "a") }
    let reader = try await reader(server, query)
    try await reader.wait("the refusal") { _, session in session?.failedQuery != nil }
    let message = try await reader.onLoop { $0.failedQuery?.message.string ?? "" }
    #expect(message.contains(word), "\(message)")
    try await reader.write { $0.subscribe("owner == 'me'") }
    try await reader.wait("the task") { core, _ in core.title(1) == "a" }
  }
}
