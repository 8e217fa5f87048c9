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

  @Test func aLinkToWhatIsNotThereIsNotedOnce() throws {
    let bench = try CoreBench(Self.classes)
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
