import ServerKit
import Storage
import SyncProtocol
import Testing

@testable import SyncServer

/// Who else writes to an app's file while a server has it.
@Suite struct OtherWriterTests {
  private func write(_ title: Text, on bench: CoreBench) throws {
    bench.client.create(bench.client.project(title), now: Device.now)
    try bench.upload()
  }

  @Test func aServerStoresNothingOverWhatAnotherServerHasWritten() throws {
    let bench = try CoreBench()
    try write("before", on: bench)
    let first = bench.core
    bench.core = try ServerCore(storage: AppStorage(path: bench.path), isSchemaOpen: true)
    try write("by the other", on: bench)
    let other = bench.core
    bench.core = first
    for title in ["refused", "refused again"] {
      let error = #expect(throws: SyncError.self) { try write(Text(title), on: bench) }
      #expect(error?.code == .unavailable)
      let cause = bench.core.storage.takeFailure()
      #expect(cause?.code == .inUse && cause?.path == bench.path)
      #expect(cause?.message.contains("another sync-server") == true)
      try bench.core.reload()
    }
    bench.core = other
    #expect(try bench.core.storage.object(bench.client.project("by the other")) != nil)
    try write("after", on: bench)
    let found = try AppStorage(path: bench.path, isReadOnly: true)
    #expect(found.stored == bench.core.head)
    for title: Text in ["before", "by the other", "after"] {
      #expect(try found.object(bench.client.project(title))?.generation.isAlive == true)
    }
  }

  @Test func aServerGoesOnWhenItsFileWasCompacted() throws {
    let bench = try CoreBench()
    for number in 0..<20 { try write(Text("project \(number)"), on: bench) }
    let known = bench.core.storage.snapshot.version
    let tool = try Database.open(path: bench.path, options: DatabaseOptions())
    _ = try tool.compactStep(force: true)
    #expect(try tool.pinNewest().version > known)
    try write("after", on: bench)
    #expect(try bench.core.storage.object(bench.client.project("after")) != nil)
  }
}
