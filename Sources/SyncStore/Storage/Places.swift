import ObjectStore
import SyncProtocol

/// What the file must know of an object's containers and links beside the protocol's state of them:
/// where containers are that a write has made, and what links lead to that is not there.
struct Places: Equatable {
  /// Where a container is that is not one which a class declares.
  enum Place: Hashable {
    /// It took the place of the collection that this property of an object declares.
    case property(NameID, of: ContainerID)
    /// An embedded object, or a collection among values of any kind, has a row of its own.
    case row(TableKey, ObjectStore.ObjectKey)
  }

  /// A cell whose link leads to what is not there. In the program's data a property, a value of a
  /// map or of a list of any values is null then, and a member or an element of a list of links is
  /// missing.
  struct Dangling: Equatable {
    enum Spot: Hashable {
      case property(NameID)
      /// Keys are different where their bytes are.
      case key(Text)
      case member
      /// An index among the elements that the client's state has: the element is missing.
      case item(Int)
      /// The same of an element that is null.
      case nullItem(Int)
    }

    var container: ContainerID
    var spot: Spot
    var target: ObjectID
  }

  var made: [ContainerID: Place] = [:]
  var dangling: [Dangling] = []

  var isEmpty: Bool { made.isEmpty && dangling.isEmpty }

  var targets: Set<ObjectID> { Set(dangling.map(\.target)) }

  /// The elements of a list that are not there, by their indexes in rising order.
  func missingItems(of container: ContainerID) -> [Int] {
    if dangling.isEmpty { return [] }
    return dangling.compactMap {
      guard $0.container == container, case .item(let index) = $0.spot else { return nil }
      return index
    }.sorted()
  }

  func target(of container: ContainerID, _ spot: Dangling.Spot) -> ObjectID? {
    if dangling.isEmpty { return nil }
    return dangling.first { $0.container == container && $0.spot == spot }?.target
  }

  mutating func forget(_ container: ContainerID, _ spot: Dangling.Spot) {
    if dangling.isEmpty { return }
    dangling.removeAll { $0.container == container && $0.spot == spot }
  }

  /// What an element's link leads to that is not there.
  func itemTarget(_ index: Int, of container: ContainerID) -> ObjectID? {
    target(of: container, .item(index)) ?? target(of: container, .nullItem(index))
  }

  /// Takes the link of an element out.
  mutating func takeItem(_ index: Int, of container: ContainerID) -> Dangling? {
    let place = dangling.firstIndex {
      $0.container == container && ($0.spot == .item(index) || $0.spot == .nullItem(index))
    }
    return place.map { dangling.remove(at: $0) }
  }

  mutating func moveItem(_ from: Int, _ to: Int, of container: ContainerID) {
    if dangling.isEmpty { return }
    let taken = takeItem(from, of: container)
    shift(container, from: from, by: -1)
    shift(container, from: to, by: 1)
    guard var link = taken else { return }
    if case .item = link.spot { link.spot = .item(to) } else { link.spot = .nullItem(to) }
    dangling.append(link)
  }

  /// Elements at or behind an index have others, by `distance`.
  mutating func shift(_ container: ContainerID, from index: Int, by distance: Int) {
    for place in dangling.indices where dangling[place].container == container {
      switch dangling[place].spot {
      case .item(let old) where old >= index: dangling[place].spot = .item(old + distance)
      case .nullItem(let old) where old >= index:
        dangling[place].spot = .nullItem(old + distance)
      default: break
      }
    }
  }

  mutating func drop(_ container: ContainerID) {
    made[container] = nil
    if !dangling.isEmpty { dangling.removeAll { $0.container == container } }
  }

  mutating func rename(_ old: ContainerID, _ new: ContainerID) {
    if let place = made.removeValue(forKey: old) { made[new] = place }
    for (name, place) in made {
      if case .property(let property, old) = place { made[name] = .property(property, of: new) }
    }
    for index in dangling.indices where dangling[index].container == old {
      dangling[index].container = new
    }
  }
}

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
    for link in dangling {
      encoder.append(link.container)
      switch link.spot {
      case .property(let name):
        encoder.append(0)
        encoder.append(UInt64(name.rawValue))
      case .key(let key):
        encoder.append(1)
        encoder.append(key.string)
      case .member: encoder.append(2)
      case .item(let index):
        encoder.append(3)
        encoder.append(index)
      case .nullItem(let index):
        encoder.append(4)
        encoder.append(index)
      }
      encoder.append(ObjectName.text(link.target, names))
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
    for _ in 0..<count {
      guard let container = decoder.container(), let spot = decoder.spot(),
        let target = decoder.text().flatMap({ ObjectName.id($0, names) })
      else { return nil }
      dangling.append(Dangling(container: container, spot: spot, target: target))
    }
  }
}

extension ByteEncoder {
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
