import SyncProtocol
import TestSupport

/// Makes frames that are well formed and mean harm: containers that are not there or hold
/// themselves, elements at several places, values of wrong types, numbers at their limits.
struct HostilePeer {
  var random: SeededGenerator
  /// The number of the next part of the download under way.
  var partsOfDownload: UInt64 = 0
  let names: Names

  private mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[random.below(choices.count)]
  }

  private mutating func client() -> ClientID {
    ClientID(pick([0, 1, 0x1000, 0x1001, 0x2000, .max]))
  }

  private mutating func stamp() -> Stamp {
    let time = pick([0, 1, 2, 1_700_000_000_000 << 16, Limits.latestTime, UInt64(random.below(40))])
    return Stamp(time: time, client: client())
  }

  private mutating func element() -> ElementID {
    ElementID(client: client(), number: pick([0, 1, 2, 3, UInt64.max, UInt64(random.below(20))]))
  }

  private mutating func place() -> PlaceName? {
    random.below(3) == 0 ? nil : PlaceName(element: element(), stamp: stamp())
  }

  private mutating func name() -> NameID { NameID(UInt32(random.below(names.texts.count))) }

  private mutating func object() -> ObjectID {
    let type = pick([names.find(LabClasses.item) ?? .none, names.find(LabClasses.pair) ?? .none])
    let key = pick([ObjectKey.int(0), .int(1), .int(2), .null, .string("x"), .int(.max)])
    return ObjectID(type: random.below(20) == 0 ? name() : type, key: key)
  }

  private mutating func container() -> ContainerID {
    switch random.below(4) {
    case 0: .root
    case 1: ContainerID(madeBy: stamp())
    case 2: ContainerID(declaredBy: name(), in: .root)
    default: ContainerID(declaredBy: name(), in: ContainerID(madeBy: stamp()))
    }
  }

  private mutating func value() -> CellValue {
    switch random.below(14) {
    case 0: .absent
    case 1: .null
    case 2: .string("text")
    case 3: .link(object())
    case 4, 5: .object(name())
    case 6, 7: .list
    case 8: .set
    case 9: .map
    case 10: .data([0, 1])
    case 11: .date(.min, 0)
    default: .int(Int64(random.below(50)))
    }
  }

  private mutating func slot() -> Slot {
    switch random.below(4) {
    case 0: .property(name())
    case 1: .key(pick(["", "k0", "k1"]))
    case 2: .member(.int(Int64(random.below(4))))
    default: .item(element())
    }
  }

  private mutating func deletedGeneration() -> DeletedGeneration? {
    if random.below(2) == 0 { return nil }
    return DeletedGeneration(
      Generation(pick([1, 1, 2, 3])), heard: ServerVersion(pick([0, 1, UInt64.max])))
  }

  private mutating func change(isUpload: Bool) -> ObjectChange {
    let numbers: [UInt64] = [0, 1, 1, 1, 2, 3, Limits.generation]
    var change = ObjectChange(id: object(), generation: Generation(pick(numbers)))
    if random.below(2) == 0 {
      change.life = LifeChange(
        creation: change.generation.isAlive ? stamp() : nil,
        deleted: deletedGeneration(),
        deletedSince: pick([0, 0, 1, 1_000, UInt64.max]))
    }
    change.isRecovered = random.below(3) == 0
    change.isWhole = change.isRecovered && random.below(2) == 0
    for _ in 0..<random.below(4) { change.containers.append(content(isUpload: isUpload)) }
    return change
  }

  private mutating func content(isUpload: Bool) -> ContainerChange {
    var content = ContainerChange(id: container())
    for _ in 0..<random.below(4) {
      let stamp = CellStamp(stamp(), isExplicit: random.below(3) > 0)
      var register = RegisterChange(slot: slot(), stamp: stamp, value: value())
      if random.below(6) == 0 { register.maker = self.stamp() }
      content.registers.append(register)
    }
    for _ in 0..<random.below(4) {
      let name = PlaceName(element: element(), stamp: stamp())
      var placement = Placement(name: name, left: place())
      if isUpload {
        placement.authorship = Authorship(
          right: place(), ownLeft: place(), ownRight: place(),
          cursor: ServerVersion(pick([0, 1, UInt64.max])), isNew: random.below(3) > 0)
      }
      content.placements.append(placement)
      guard random.below(3) > 0 else { continue }
      let stamp = CellStamp(stamp())
      content.registers.append(
        RegisterChange(slot: .item(name.element), stamp: stamp, value: value()))
    }
    for _ in 0..<random.below(3) { content.removals.append(element()) }
    return content
  }

  /// A frame for a server, whose newest version and whose client's newest batch these are.
  mutating func upload(after batch: UInt64, cursor: ServerVersion) -> Frame {
    let largest = random.below(500) == 0 ? UInt64.max : 1
    let number = pick([batch &+ 1, batch &+ 1, batch &+ 1, batch, 0, largest])
    var objects: [ObjectChange] = []
    for _ in 0..<random.below(5) { objects.append(change(isUpload: true)) }
    let upload = UploadBatch(
      number: number, cursor: pick([cursor, cursor, .zero, ServerVersion(.max)]), objects: objects)
    return .upload(
      batch: random.below(20) == 0 ? 7 : number, part: random.below(20) == 0 ? 1 : 0,
      isLast: random.below(10) > 0, upload.encoded(names: names))
  }

  /// A frame for a client with this cursor.
  mutating func download(from cursor: ServerVersion) -> Frame {
    let largest = random.below(500) == 0 ? UInt64.max : 1
    let next = ServerVersion(pick([cursor.rawValue &+ 1, cursor.rawValue, 0, largest]))
    var slice = DownloadSlice(from: random.below(8) == 0 ? next : cursor, to: next)
    slice.isLast = random.below(6) > 0
    slice.isRebase = random.below(4) == 0
    if slice.isRebase { slice.from = .zero }
    slice.acknowledged = pick([0, 1, 2, 3, UInt64.max])
    slice.time = pick([0, 1_700_000_000_000 << 16, Limits.latestTime >> 1])
    slice.floor = ServerVersion(pick([0, 1, UInt64.max]))
    slice.queryVersion = pick([0, 1, UInt64.max])
    for _ in 0..<random.below(4) {
      let kind = pick([ObjectNews.Kind.update, .update, .snapshot, .snapshot, .dead, .evicted])
      var news = ObjectNews(kind: kind, change: change(isUpload: false))
      if random.below(6) == 0 {
        news.refusal = ObjectNews.Refusal(batch: pick([0, 1, 2, .max]), reason: .notAllowed)
      }
      if random.below(6) == 0 {
        news.creation = MergedCreation(
          stamp: stamp(), generation: Generation(pick([0, 1, 2, 3])),
          version: ServerVersion(pick([0, 1, UInt64.max])))
      }
      slice.objects.append(news)
    }
    let isLast = random.below(10) > 0
    let part = random.below(20) == 0 ? partsOfDownload + 1 : partsOfDownload
    partsOfDownload = isLast && slice.isLast ? 0 : partsOfDownload + 1
    return .download(part: part, isLast: isLast, slice.encoded(names: names))
  }

  /// Something else that a client may say when it may not, or with what is another's.
  mutating func other() -> Frame {
    switch random.below(9) {
    case 0: .token(pick(["attacker", "victim", "nobody", ""]))
    case 1:
      .bind(
        client: client(), epoch: pick([0, 1, .max]), cursor: ServerVersion(pick([0, 1, .max])),
        query: pick([0, .max]), batches: pick([[], [0], [1, 2], [.max]]),
        download: DownloadPosition(number: pick([0, 1, .max]), slices: pick([0, 1, 2, .max])))
    case 2: .confirm(ServerVersion(pick([0, 1, 2, .max])), query: pick([0, 1, .max]))
    case 3: .hello(oldest: pick([0, 1, .max]), newest: pick([0, 1, .max]), app: "lab")
    case 4:
      .query(
        version: pick([1, 2, .max]),
        [Subscription(type: pick(["Item", "Pair", "Secret", ""]), query: pick(["", "nonsense"]))])
    case 5: .schema(schema())
    case 6: .download(part: 0, isLast: true, [])
    case 7: .error(SyncError(.badFrame, "x"), time: 0, retryAfterMilliseconds: .max)
    default: .ping(.max)
    }
  }

  private mutating func schema() -> [SchemaClass] {
    let name = Text("Class\(random.below(50))")
    let type = PropertyType(
      pick([.int, .object, .any]), pick([.single, .list, .map]), target: "Nowhere")
    return [
      SchemaClass(
        name: pick([name, "Item", ""]), isEmbedded: random.below(2) == 0,
        properties: [pick(["a", "list", "new"]): type])
    ]
  }
}
