import ObjectStore
import SyncProtocol

// In bytes, with the file's own numbers of names.
extension Places {
  func row(_ names: Names) -> [UInt8] {
    var encoder = ByteEncoder()
    encoder.append(made.count)
    for (container, place) in made {
      encoder.append(container)
      switch place {
      case .property(let name, let parent):
        encoder.append(0)
        encoder.append(UInt64(name.rawValue))
        encoder.append(parent)
      case .row(let table, let object):
        encoder.append(1)
        encoder.append(UInt64(table.rawValue))
        encoder.append(signed: object.rawValue)
      }
    }
    encoder.append(dangling.count)
    for (container, holder) in dangling.holders.sorted(by: { $0.key < $1.key }) {
      for (spot, target) in holder.cells { encoder.append(container, spot, target, names) }
      for target in holder.members { encoder.append(container, .member, target, names) }
      for item in holder.items.items {
        let spot: Dangling.Spot = item.isMissing ? .item(item.index) : .nullItem(item.index)
        encoder.append(container, spot, item.target, names)
      }
    }
    return encoder.bytes
  }

  /// Nil if the bytes make no sense.
  init?(_ bytes: [UInt8], _ names: Names) {
    if bytes.isEmpty { return }
    let places = unsafe bytes.withUnsafeBytes { bytes -> Places? in
      var decoder = unsafe ByteDecoder(bytes)
      return Places(&decoder, names)
    }
    guard let places else { return nil }
    self = places
  }

  private init?(_ decoder: inout ByteDecoder, _ names: Names) {
    guard let madeCount = decoder.count() else { return nil }
    for _ in 0..<madeCount {
      guard let container = decoder.container(), let kind = decoder.integer(),
        let first = decoder.unsigned().flatMap({ UInt32(exactly: $0) })
      else { return nil }
      if kind == 0 {
        guard let parent = decoder.container() else { return nil }
        made[container] = .property(NameID(first), of: parent)
      } else {
        guard let object = decoder.signed() else { return nil }
        made[container] = .row(TableKey(rawValue: first), ObjectStore.ObjectKey(rawValue: object))
      }
    }
    guard let count = decoder.count() else { return nil }
    var items: [ContainerID: [HiddenItems.Item]] = [:]
    for _ in 0..<count {
      guard let container = decoder.container(), let spot = decoder.spot(),
        let target = decoder.text().flatMap({ ObjectName.id($0, names) })
      else { return nil }
      switch spot {
      case .item(let index):
        items[container, default: []].append(
          HiddenItems.Item(index: index, isMissing: true, target: target))
      case .nullItem(let index):
        items[container, default: []].append(
          HiddenItems.Item(index: index, isMissing: false, target: target))
      default: dangling.append(Dangling(container: container, spot: spot, target: target))
      }
    }
    for (container, items) in items { dangling.append(items, of: container) }
  }
}

extension ByteEncoder {
  fileprivate mutating func append(
    _ container: ContainerID, _ spot: Places.Dangling.Spot, _ target: ObjectID, _ names: Names
  ) {
    append(container)
    switch spot {
    case .property(let name):
      append(0)
      append(UInt64(name.rawValue))
    case .key(let key):
      append(1)
      append(key.string)
    case .member: append(2)
    case .item(let index):
      append(3)
      append(index)
    case .nullItem(let index):
      append(4)
      append(index)
    }
    append(ObjectName.text(target, names))
  }

  fileprivate mutating func append(_ container: ContainerID) {
    append(container.maker.time)
    append(container.maker.client.rawValue)
    append(UInt64(container.property.rawValue))
  }
}

extension ByteDecoder {
  fileprivate mutating func container() -> ContainerID? {
    guard let time = unsigned(), let client = unsigned(),
      let property = unsigned().flatMap({ UInt32(exactly: $0) })
    else { return nil }
    let maker = ContainerID(madeBy: Stamp(time: time, client: ClientID(client)))
    let name = NameID(property)
    return name == .none ? maker : ContainerID(declaredBy: name, in: maker)
  }

  fileprivate mutating func spot() -> Places.Dangling.Spot? {
    switch integer() {
    case 0:
      guard let name = unsigned().flatMap({ UInt32(exactly: $0) }) else { return nil }
      return .property(NameID(name))
    case 1: return text().map { .key(Text($0)) }
    case 2: return .member
    case 3: return integer().map { .item($0) }
    case 4: return integer().map { .nullItem($0) }
    default: return nil
    }
  }
}
