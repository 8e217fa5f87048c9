import Foundation
import ObjectStore
import ServerKit
import SyncProtocol
import Testing

@testable import SyncServer

/// What the app's file has of objects with very many links or embedded objects.
@Suite struct LargeObjectTests {
  private static let classes =
    Device.classes + [
      SchemaClass(
        name: "Group",
        properties: [
          "_id": PropertyType(.int, .single),
          "members": PropertyType(.link, .list, target: "Project"),
        ])
    ]

  /// A core on a file, and a client of it.
  private final class Bench {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("large-\(UUID().uuidString)")
    var core: ServerCore<AppStorage>
    var client = ClientCore(storage: MemoryClientStorage(client: ClientID(9_000)))

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      core = try ServerCore(
        storage: AppStorage(path: folder.path + "/data.realm"), isSchemaOpen: true)
      _ = core.addClasses(LargeObjectTests.classes)
      try core.flush()
      try core.bind(
        ClientID(9_000), user: "me", cursor: .zero, query: 0, epoch: 0, batches: [],
        now: Device.now)
      try core.flush()
      for type in LargeObjectTests.classes {
        _ = client.storage.record.names.add(type.name)
        for name in type.properties.keys.sorted() { _ = client.storage.record.names.add(name) }
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func upload() throws {
      let batch = try #require(try client.makeBatch())
      let received = try UploadBatch.decode(
        batch.encoded(names: client.storage.record.names), names: core.head.names)
      #expect(try core.upload(received, from: ClientID(9_000), now: Device.now) == .merged)
      try core.flush()
    }
  }

  @Test func aLinkToWhatIsNotThereIsNotedOnce() throws {
    let bench = try Bench()
    let group = ObjectID(type: bench.client.name("Group"), key: .int(1))
    let members = bench.client.collection("members")
    bench.client.create(group, now: Device.now)
    for count in 0..<20 {
      let project = bench.client.project(Text("missing \(count)"))
      bench.client.insert(.link(project), at: count, of: members, in: group, now: Device.now)
      try bench.upload()
      let storage = bench.core.storage
      #expect(try storage.hidden.link.table(storage.snapshot).count == count + 1)
    }
    bench.client.create(bench.client.project("missing 7"), now: Device.now)
    try bench.upload()
    let storage = bench.core.storage
    #expect(try storage.hidden.link.table(storage.snapshot).count == 19)
  }
}
