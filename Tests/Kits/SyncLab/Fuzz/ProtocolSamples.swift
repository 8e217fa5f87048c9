import SyncProtocol

/// One of everything that the protocol can say; for test vectors, and to be damaged.
public enum ProtocolSamples {
  /// Frames by name.
  public static var frames: [(name: String, frame: Frame)] {
    let error = SyncError(.beyondLimit, "too much")
    return [
      ("hello", .hello(oldest: 1, newest: 3, app: "shop")),
      ("welcome", .welcome(version: 1, epoch: 0x0102_0304_0506_0708, time: 1_700_000_000_000)),
      ("token", .token("eyJhbGciOi")),
      ("accepted", .accepted),
      (
        "bind",
        .bind(
          client: ClientID(0xABCD), epoch: 7, cursor: ServerVersion(300), query: 2,
          batches: [1000, 7], download: DownloadPosition(number: 1_000, slices: 3))
      ),
      ("bound", .bound(acknowledged: 128, goesOn: false)),
      ("schema", .schema([LabClasses.classes(isNew: false)[1]])),
      ("schema-result", .schemaResult([Schema.Conflict(type: "Item", property: "a")])),
      ("query", .query(version: 2, [Subscription(name: "mine", type: "Item", query: "a > 3")])),
      ("query-failed", .queryFailed(version: 2, index: 0, message: "That is no query.")),
      ("upload", .upload(batch: 5, part: 0, isLast: true, [1, 2, 3])),
      ("download", .download(part: 1, isLast: false, [0xFF])),
      ("confirm", .confirm(ServerVersion(300), query: 2)),
      ("error", .error(error, time: 1_700_000_000_000, retryAfterMilliseconds: 500)),
      ("ping", .ping(1)),
      ("pong", .pong(1)),
    ]
  }

  /// A table of names in which those of the samples are.
  public static var names: Names { Names(["Item", "a", "list", "set", "map", "child", "Part"]) }

  private static let author = ClientID(0x11)

  private static func stamp(_ time: UInt64) -> Stamp { Stamp(time: time, client: author) }

  private static func values(_ names: Names) -> [CellValue] {
    let item = names.find("Item") ?? .none
    return [
      .null, .bool(true), .bool(false), .int(-5), .float(0x3FC0_0000),
      .double(0x3FF8_0000_0000_0000), .string("é"), .data([0, 255]), .date(-1, 999_999_999),
      .decimal(1, 2), .objectID(3, 4), .uuid(5, 6), .link(ObjectID(type: item, key: .int(9))),
      .object(item), .list, .set, .map,
    ]
  }

  private static func object(_ names: Names, isUpload: Bool) -> ObjectChange {
    let item = names.find("Item") ?? .none
    let list = ContainerID(declaredBy: names.find("list") ?? .none, in: .root)
    var change = ObjectChange(
      id: ObjectID(type: item, key: .string("key")), generation: Generation(1))
    if isUpload { change.life = LifeChange(creation: stamp(1_000)) }
    var root = ContainerChange(id: .root)
    for (index, value) in values(names).enumerated() {
      root.registers.append(
        RegisterChange(
          slot: .property(names.find("a") ?? .none),
          stamp: CellStamp(stamp(1_000 + UInt64(index)), isExplicit: index > 0), value: value))
    }
    var elements = ContainerChange(id: list)
    let first = PlaceName(element: ElementID(client: author, number: 1), stamp: stamp(2_000))
    let second = PlaceName(element: ElementID(client: author, number: 2), stamp: stamp(2_001))
    elements.placements = [first, second].map { name in
      var placement = Placement(name: name, left: name == second ? first : nil)
      if isUpload {
        placement.authorship = Authorship(
          right: nil, ownLeft: placement.left, ownRight: nil, cursor: ServerVersion(12), isNew: true
        )
      }
      return placement
    }
    elements.registers = [
      RegisterChange(slot: .item(first.element), stamp: CellStamp(stamp(2_000)), value: .int(1))
    ]
    elements.removals = [ElementID(client: ClientID(0x12), number: 7)]
    var nested = ContainerChange(id: ContainerID(madeBy: stamp(1_016)))
    nested.registers = [
      RegisterChange(slot: .key("k"), stamp: CellStamp(stamp(3_000)), value: .absent),
      RegisterChange(slot: .member(.int(3)), stamp: CellStamp(stamp(3_001)), value: .bool(true)),
    ]
    change.containers = [root, elements, nested]
    return change
  }

  private static func deletion(_ names: Names) -> ObjectChange {
    ObjectChange(
      id: ObjectID(type: names.find("Item") ?? .none, key: .int(1)), generation: Generation(4),
      life: LifeChange(
        creation: nil, deleted: DeletedGeneration(Generation(3), heard: ServerVersion(9))))
  }

  private static func creationAfterIt(_ names: Names) -> ObjectChange {
    ObjectChange(
      id: ObjectID(type: names.find("Item") ?? .none, key: .int(2)), generation: Generation(3),
      life: LifeChange(creation: stamp(1_032), deletedSince: 1_000))
  }

  /// A batch with every kind of change.
  public static func batch(_ names: Names) -> UploadBatch {
    UploadBatch(
      number: 6, cursor: ServerVersion(12),
      objects: [object(names, isUpload: true), deletion(names), creationAfterIt(names)])
  }

  /// A slice with every kind of news.
  public static func slice(_ names: Names) -> DownloadSlice {
    var slice = DownloadSlice(from: ServerVersion(12), to: ServerVersion(300))
    slice.download = 1_000
    slice.acknowledged = 6
    slice.time = 4_000
    slice.floor = ServerVersion(3)
    slice.queryVersion = 2
    let item = names.find("Item") ?? .none
    let gone = ObjectChange(id: ObjectID(type: item, key: .null), generation: Generation(2))
    slice.objects = [
      ObjectNews(kind: .update, change: object(names, isUpload: false)),
      ObjectNews(kind: .snapshot, change: object(names, isUpload: false)),
      ObjectNews(
        kind: .dead, change: gone,
        refusal: ObjectNews.Refusal(batch: 6, reason: .notAllowed)),
      ObjectNews(kind: .evicted, change: gone),
    ]
    slice.objects[3].creation = MergedCreation(
      stamp: stamp(1_000), generation: Generation(3), version: ServerVersion(299))
    return slice
  }
}
