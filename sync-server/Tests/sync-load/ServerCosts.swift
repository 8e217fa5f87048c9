import ArgumentParser
import Foundation
import RealmSwift
import ServerKit
import SyncProtocol

/// What subscriptions cost that do not want what changes.
struct Matching: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The server's time for a changed object that no subscription wants.")

  @Option var subscriptions = 100_000
  @Option var objects = 50_000

  /// So many has one device.
  private static let ofDevice = Limits.subscriptions

  func run() async throws {
    let alone = try await measure(0)
    let beside = try await measure(subscriptions)
    print(
      "a changed object: \(alone.short) us of the server's processor time; beside "
        + "\(subscriptions) subscriptions that do not want it \(beside.short) us, "
        + "\((beside - alone).short) us more")
  }

  /// Microseconds of processor time for a changed object.
  private func measure(_ subscriptions: Int) async throws -> Double {
    let server = try await SyncLoad.server()
    var devices: [Device] = []
    var token = ""
    for number in 0..<(subscriptions / Self.ofDevice) {
      if number % 50 == 0 { token = try await server.anonymous() }
      let device = Device(UInt64(number + 1))
      try await device.write { core in
        core.subscribe(
          to: (0..<Self.ofDevice).map {
            Subscription(type: Device.task, query: Text("owner == 'user \(number) \($0)'"))
          })
      }
      try await device.connect(server, token: token)
      try await device.wait("the first download") { core, _ in
        core.storage.record.completeQueryVersion == 1
      }
      devices.append(device)
    }
    let writer = Device(1 << 20)
    try await writer.write { $0.subscribe("owner == 'nobody'") }
    try await writer.connect(server, token: try await server.anonymous())
    let objects = objects
    try await writer.write { core in
      for key in 0..<objects { core.addTask(Int64(key), title: "task", owner: "nobody") }
    }
    try await writer.waitForUpload(seconds: 600)
    let before = try server.processorTime
    try await writer.write { core in
      for key in 0..<objects { core.set("title", .string("changed"), core.task(Int64(key))) }
    }
    try await writer.waitForUpload(seconds: 600)
    let taken = try server.processorTime - before
    for device in devices { try await device.disconnect() }
    return taken / Double(objects) * 1e6
  }
}

/// How large the server's file gets by edits of few objects.
struct Edits: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The size of the app's file after many edits of few objects.")

  @Option var objects = 1_000
  @Option var edits = 1_000_000
  @Option var ofBatch = 100

  func run() async throws {
    let server = try await SyncLoad.server()
    let writer = Device(1)
    try await writer.write { $0.subscribe() }
    try await writer.connect(server, token: try await server.anonymous())
    let objects = objects
    try await writer.write { core in
      for key in 0..<objects { core.addTask(Int64(key), title: "task \(key)") }
    }
    try await writer.waitForUpload()
    let start = ContinuousClock.now
    print("after \(objects) objects: \(try server.appBytes()) bytes")
    for first in stride(from: 0, to: edits, by: ofBatch) {
      let keys = first..<min(first + ofBatch, edits)
      try await writer.write { core in
        for edit in keys {
          let title = Text("edit \(edit)")
          core.set("title", .string(title), core.task(Int64(edit % objects)))
        }
      }
      try await writer.waitForUpload()
    }
    let taken = SyncLoad.seconds(ContinuousClock.now - start)
    let bytes = try server.appBytes()
    server.kill()
    let live = try server.compactedBytes()
    print(
      "\(edits) edits in \(taken.short) s: the app's file has \(bytes) bytes; compacted it has "
        + "\(live): \((Double(bytes) / Double(live)).short) times that")
  }
}

extension Double {
  /// With two digits behind the point.
  fileprivate var short: String { String(format: "%.2f", self) }
}

extension ServerProcess {
  /// Seconds of processor time that it has taken.
  fileprivate var processorTime: Double {
    get throws {
      let text = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
      // Behind the name, which may have spaces in it: state is the first.
      let fields = text[text.lastIndex(of: ")")!...].split(separator: " ").dropFirst()
      let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }
      return ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  private var appFile: String { data + "/apps/demo/data.realm" }

  fileprivate func appBytes() throws -> Int {
    try FileManager.default.attributesOfItem(atPath: appFile)[.size] as? Int ?? 0
  }

  /// The size of the app's file as a copy that is as small as it can be.
  fileprivate func compactedBytes() throws -> Int {
    let copy = folder.appendingPathComponent("copy.realm")
    let configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: appFile), readOnly: true, objectTypes: [])
    try Realm(configuration: configuration).writeCopy(toFile: copy)
    return try FileManager.default.attributesOfItem(atPath: copy.path)[.size] as? Int ?? 0
  }
}
