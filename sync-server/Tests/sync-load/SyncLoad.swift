import ArgumentParser
import Foundation
import ServerKit
import SyncProtocol

/// Measures a server that it starts.
@main
struct SyncLoad: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure a server that is started for it.",
    subcommands: [
      Uploads.self, FirstSync.self, DeviceSync.self, Latency.self, Idle.self, Matching.self,
      Edits.self,
    ])

  static func server(niceness: Int = 0) async throws -> ServerProcess {
    let server = try ServerProcess()
    try await server.start(niceness: niceness)
    return server
  }

  static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

  /// Devices that are connected, each with a query of its own.
  static func devices(
    _ server: ServerProcess, _ count: Int, query: (Int) -> String
  ) async throws -> [Device] {
    var token = ""
    var devices: [Device] = []
    for number in 1...count {
      // A user has so many connections.
      if number % 50 == 1 { token = try await server.anonymous() }
      let device = Device(UInt64(number))
      let query = query(number)
      try await device.write { $0.subscribe(query) }
      try await device.connect(server, token: token)
      devices.append(device)
    }
    return devices
  }
}

/// Durable uploads of many clients, each of which waits for the acknowledgement.
struct Uploads: AsyncParsableCommand {
  @Option var clients = 50
  @Option var seconds = 10.0

  func run() async throws {
    let server = try await SyncLoad.server()
    let devices = try await SyncLoad.devices(server, clients) { "owner == 'user \($0)'" }
    let end = ContinuousClock.now + .seconds(seconds)
    let start = ContinuousClock.now
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      for (index, device) in devices.enumerated() {
        let owner = "user \(index + 1)"
        group.addTask {
          try await device.waitForUpload()
          return try await device.writeRepeatedly(until: end) { core, count in
            let key = Int64(index + 1) << 32 + Int64(count)
            core.addTask(key, title: "task", owner: owner)
          }
        }
      }
      return try await group.reduce(0, +)
    }
    let taken = SyncLoad.seconds(ContinuousClock.now - start)
    print("\(clients) clients: \(Int(Double(total) / taken)) uploads/s, \(total) in all")
  }
}

/// How long a new client takes to get all objects.
struct FirstSync: AsyncParsableCommand {
  @Option var objects = 100_000

  func run() async throws {
    let server = try await SyncLoad.server()
    let token = try await server.anonymous()
    let writer = Device(1)
    try await writer.write { $0.subscribe("FALSEPREDICATE") }
    try await writer.connect(server, token: token)
    var start = ContinuousClock.now
    for first in stride(from: 0, to: objects, by: 10_000) {
      let keys = first..<min(first + 10_000, objects)
      try await writer.write { core in
        for key in keys { core.addTask(Int64(key), title: "task \(key)", priority: Int64(key)) }
      }
      try await writer.waitForUpload(seconds: 600)
    }
    print("upload of \(objects): \(SyncLoad.seconds(ContinuousClock.now - start)) s")
    let reader = Device(2)
    try await reader.write { $0.subscribe() }
    start = ContinuousClock.now
    try await reader.connect(server, token: token)
    try await reader.wait("all objects", seconds: 600) { core, _ in
      core.storage.record.completeQueryVersion == 1
    }
    print("first sync of \(objects): \(SyncLoad.seconds(ContinuousClock.now - start)) s")
    let size = try FileManager.default.attributesOfItem(
      atPath: server.data + "/apps/demo/data.realm")[.size]
    print("the app's file: \(size ?? 0) bytes")
  }
}

/// From a write on one device until it is there on another one.
struct Latency: AsyncParsableCommand {
  @Option var rounds = 300

  func run() async throws {
    let server = try await SyncLoad.server()
    let devices = try await SyncLoad.devices(server, 2) { _ in "" }
    try await devices[0].write { $0.addTask(1, title: "start") }
    try await devices[1].wait("the task") { core, _ in core.title(1) == "start" }
    var times: [Double] = []
    for round in 0..<rounds {
      let start = ContinuousClock.now
      try await devices[0].write { core in
        core.set("title", .string(Text("round \(round)")), core.task(1))
      }
      try await devices[1].wait("the change") { core, _ in core.title(1) == "round \(round)" }
      times.append(SyncLoad.seconds(ContinuousClock.now - start) * 1_000)
    }
    times.sort()
    print("median \(times[rounds / 2]) ms, p99 \(times[rounds * 99 / 100]) ms")
  }
}

/// What clients take that do nothing.
struct Idle: AsyncParsableCommand {
  @Option var clients = 1_000

  func run() async throws {
    let server = try await SyncLoad.server()
    let devices = try await SyncLoad.devices(server, clients) { "owner == 'user \($0)'" }
    for device in devices {
      try await device.wait("the first download") { core, _ in
        core.storage.record.completeQueryVersion == 1
      }
    }
    let status = try String(
      contentsOfFile: "/proc/\(server.identifier)/status", encoding: .utf8)
    for line in status.split(separator: "\n") where line.hasPrefix("VmRSS") { print(line) }
  }
}
