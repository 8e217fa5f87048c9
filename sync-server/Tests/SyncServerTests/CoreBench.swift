import Foundation
import ServerKit
import SyncProtocol
import Testing

@testable import SyncServer

/// The core of an app on a file, without connections, and a client that uploads to it.
final class CoreBench {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("core-\(UUID().uuidString)")
  private let id = ClientID(9_000)
  var path: String { folder.path + "/data.realm" }
  var core: ServerCore<AppStorage>
  var client: ClientCore<MemoryClientStorage>

  init(_ classes: [SchemaClass] = Device.classes) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    core = try ServerCore(
      storage: AppStorage(path: folder.path + "/data.realm"), isSchemaOpen: true)
    client = ClientCore(storage: MemoryClientStorage(client: id))
    _ = core.addClasses(classes)
    try core.flush()
    try core.bind(
      id, user: "me", cursor: .zero, query: 0, epoch: 0, batches: [], now: Device.now)
    try core.flush()
    for type in classes {
      _ = client.storage.record.names.add(type.name)
      for name in type.properties.keys.sorted() { _ = client.storage.record.names.add(name) }
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// What the client has written is merged and durable.
  func upload() throws {
    let batch = try #require(try client.makeBatch())
    let received = try UploadBatch.decode(
      batch.encoded(names: client.storage.record.names), names: core.head.names)
    #expect(try core.upload(received, from: id, now: Device.now) == .merged)
    try core.flush()
  }
}
