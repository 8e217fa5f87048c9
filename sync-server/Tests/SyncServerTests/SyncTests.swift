import ServerKit
import SyncProtocol
import Testing

/// Devices and a server, each side for real.
@Suite struct SyncTests {
  @Test func whatOneDeviceWritesAppearsOnTheOther() async throws {
    let server = try ServerProcess()
    try await server.start()
    let (left, right) = (Device(1), Device(2))
    for device in [left, right] {
      try await device.write { $0.subscribe() }
      try await device.connect(server, token: try await server.anonymous())
    }
    try await left.write { $0.addTask(1, title: "from the left") }
    try await right.wait("the task of the left") { core, _ in core.title(1) == "from the left" }
    try await right.write { core in core.set("title", .string("from the right"), core.task(1)) }
    try await left.wait("the change of the right") { core, _ in core.title(1) == "from the right" }
    try await right.write { core in core.delete(core.task(1), now: Device.now) }
    try await left.wait("the deletion") { core, _ in core.tasks.isEmpty }
    #expect(server.stop() == 0)
  }

  @Test func whatWasWrittenOfflineIsMergedAfterwards() async throws {
    let server = try ServerProcess()
    try await server.start()
    let (left, right) = (Device(1), Device(2))
    let token = try await server.anonymous()
    for device in [left, right] {
      try await device.write { $0.subscribe() }
      try await device.connect(server, token: token)
    }
    try await left.write { $0.addTask(1, title: "first") }
    try await right.wait("the task") { core, _ in core.title(1) == "first" }
    try await right.disconnect()
    try await right.write { core in core.set("priority", .int(7), core.task(1)) }
    try await right.write { $0.addTask(2, title: "offline") }
    try await left.write { core in core.set("title", .string("second"), core.task(1)) }
    try await left.waitForUpload()
    try await right.connect(server, token: token)
    try await right.wait("the title") { core, _ in core.title(1) == "second" && !core.isDirty }
    try await left.wait("what was written offline") { core, _ in
      core.title(2) == "offline"
        && core.storage.value(.property(core.name("priority")), of: .root, in: core.task(1))
          == .int(7)
    }
  }
}
