import SyncLab
import SyncProtocol
import Testing

@Suite("the first download") struct FirstDownloadTests {
  /// Shelves have books, books have authors, and authors know each other.
  private var classes: [SchemaClass] {
    func type(_ name: Text, _ property: Text, _ shape: Shape, _ target: Text) -> SchemaClass {
      let properties = [property: PropertyType(.link, shape, target: target)]
      return SchemaClass(name: name, properties: properties)
    }
    return [
      type("A shelf", "books", .list, "Book"), type("Book", "author", .single, "Writer"),
      type("Writer", "friends", .set, "Writer"),
    ]
  }

  @Test("has what links lead to before what has the links")
  func order() throws {
    var core = try SyncBench(devices: 0).server
    #expect(core.addClasses(classes).isEmpty)
    let names = core.head.names
    let types = try classes.map { try #require(names.find($0.name)) }
    try core.bind(
      ClientID(1), user: "user", cursor: .zero, query: 0, epoch: 0, batches: [], now: 1)
    var batch = UploadBatch(number: 1, cursor: .zero, objects: [])
    for key in Int64(0)..<4 {
      for type in types {
        batch.objects.append(
          ObjectChange(
            id: ObjectID(type: type, key: .int(key)), generation: Generation(1),
            life: LifeChange(creation: Stamp(time: 1, client: ClientID(1)))))
      }
    }
    let received = try UploadBatch.decode(batch.encoded(names: names), names: names)
    _ = try core.upload(received, from: ClientID(1), now: 1)
    try core.bind(
      ClientID(2), user: "user", cursor: .zero, query: 0, epoch: 0, batches: [], now: 1)
    core.subscribe(
      ClientID(2), version: 1, to: classes.map { Subscription(type: $0.name, query: "") })
    try core.flush()
    var download = try #require(try core.beginDownload(for: ClientID(2), now: 1))
    var sent: [NameID] = []
    while !download.isComplete {
      let slice = try core.nextSlice(of: &download, cellsAtMost: 3, cellsOfSlice: 3)
      sent += slice.objects.map(\.change.id.type)
    }
    #expect(sent == types.reversed().flatMap { Array(repeating: $0, count: 4) })
  }
}
