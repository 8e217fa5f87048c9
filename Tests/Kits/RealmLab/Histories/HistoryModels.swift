import Foundation
import RealmSwift

/// What histories are made of. Every change of a property also counts up a stamp, so that two
/// versions of an object tell which of its properties were set in between, also to what they were.
public final class HistoryNode: Object {
  @Persisted(primaryKey: true) var id: Int
  /// No other object has or had it.
  @Persisted var serial: Int
  @Persisted(indexed: true) var age: Int
  @Persisted var ageStamp: Int
  @Persisted(indexed: .fullText) var name: String
  @Persisted var nameStamp: Int
  @Persisted var favourite: HistoryNode?
  @Persisted var favouriteStamp: Int
  @Persisted var listStamp: Int
  /// Elements come, go and move.
  @Persisted var friends: List<HistoryNode>
  /// Elements are replaced as well.
  @Persisted var pals: List<HistoryNode>
  @Persisted var numbers: List<Int>
  @Persisted var numberSet: MutableSet<Int>
  @Persisted var friendSet: MutableSet<HistoryNode>
  @Persisted var counts: Map<String, Int>
  @Persisted var named: Map<String, HistoryNode?>
  @Persisted var part: HistoryPart?
  @Persisted var parts: List<HistoryPart>
  /// Nothing, or a dictionary with an age.
  @Persisted(indexed: true) var content: AnyRealmValue
  /// Negative numbers, nodes, nothing, and lists that begin with a serial and a stamp of their own,
  /// and in which there may be nodes.
  @Persisted var mixed: List<AnyRealmValue>
  /// Nothing, a node, or a list or dictionary in which there may be some.
  @Persisted var anything: AnyRealmValue
  /// Negative numbers, nodes and nothing.
  @Persisted var mixedSet: MutableSet<AnyRealmValue>
  @Persisted var mixedMap: Map<String, AnyRealmValue>
  @Persisted(originProperty: "friends") var befriendedBy: LinkingObjects<HistoryNode>
}

/// Part of a node, or of another part.
public final class HistoryPart: EmbeddedObject {
  /// No other object has or had it.
  @Persisted var serial: Int
  @Persisted var age: Int
  @Persisted var ageStamp: Int
  @Persisted var listStamp: Int
  @Persisted var parts: List<HistoryPart>
  @Persisted var friend: HistoryNode?
  /// Nothing or a node.
  @Persisted var anything: AnyRealmValue
}

/// Counts what the writers did.
public final class HistoryClock: Object {
  @Persisted var commits: Int
  @Persisted var serial: Int
}

public enum HistoryFile {
  static let hub = -1
  /// Stands for a value of any kind that is nothing.
  static let nothing = -100
  /// The file that has a key, in whichever process it is opened.
  static let encryptedName = "encrypted.realm"

  static func configuration(_ path: String) -> Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: .init(fileURLWithPath: path),
      objectTypes: [HistoryNode.self, HistoryPart.self, HistoryClock.self])
    configuration.durability = .relaxed
    if path.hasSuffix(encryptedName) { configuration.encryptionKey = Data(0..<64) }
    return configuration
  }
}

/// All objects of one version, by value.
struct HistoryImage {
  struct Row: Equatable {
    var serial = 0
    var age = 0
    var ageStamp = 0
    var name = ""
    var nameStamp = 0
    var favourite: Int?
    var favouriteStamp = 0
    var listStamp = 0
    var friends: [Int] = []
    var pals: [Int] = []
    var numbers: [Int] = []
    var numberSet: [Int] = []
    var counts: [String: Int] = [:]
    var part: Int?
    var parts: [Int] = []
    var contentAge: Int?
    /// Numbers, and the serials of lists and nodes.
    var mixed: [Int] = []
    var mixedSet: [Int] = []
    var mixedMap: [String: Int] = [:]
    /// All that it leads to.
    var links: [Int] = []
  }

  /// In the order of the class's objects.
  var rows: [Row] = []
  /// Nodes, parts and lists.
  var bySerial: [Int: Row] = [:]
  var hub: Row { rows[0] }

  init(_ realm: Realm) {
    for node in realm.objects(HistoryNode.self) {
      let row = row(of: node)
      rows.append(row)
      bySerial[row.serial] = row
    }
  }

  private mutating func row(of node: HistoryNode) -> Row {
    var row = Row(
      serial: node.serial, age: node.age, ageStamp: node.ageStamp, name: node.name,
      nameStamp: node.nameStamp, favourite: node.favourite?.serial,
      favouriteStamp: node.favouriteStamp, listStamp: node.listStamp,
      friends: node.friends.map(\.serial), pals: node.pals.map(\.serial),
      numbers: Array(node.numbers))
    row.numberSet = node.numberSet.sorted()
    for entry in node.counts { row.counts[entry.key] = entry.value }
    row.part = node.part.map { remember($0) }
    row.parts = node.parts.map { remember($0) }
    row.contentAge = node.content.dictionaryValue?["age"]?.intValue
    row.mixed = node.mixed.map { remember($0) }
    row.mixedSet = node.mixedSet.map(\.numberOrSerial)
    for entry in node.mixedMap { row.mixedMap[entry.key] = remember(entry.value) }
    row.links = row.friends + row.pals + row.parts + node.friendSet.map(\.serial)
    row.links += [row.favourite, row.part].compactMap { $0 }
    row.links += node.named.compactMap { $0.value?.serial }
    row.links += node.anything.nodes + node.mixed.flatMap(\.nodes) + node.mixedSet.flatMap(\.nodes)
    row.links += node.mixedMap.flatMap(\.value.nodes)
    return row
  }

  private mutating func remember(_ part: HistoryPart) -> Int {
    let parts: [Int] = part.parts.map { remember($0) }
    bySerial[part.serial] = Row(
      serial: part.serial, age: part.age, ageStamp: part.ageStamp, listStamp: part.listStamp,
      parts: parts,
      links: parts + [part.friend?.serial].compactMap { $0 } + part.anything.nodes)
    return part.serial
  }

  private mutating func remember(_ element: AnyRealmValue) -> Int {
    let number = element.numberOrSerial
    if let list = element.listValue {
      bySerial[number] = Row(serial: number, ageStamp: list[1].intValue!, links: element.nodes)
    }
    return number
  }

  func age(_ serial: Int) -> Int { bySerial[serial]!.age }
}

extension AnyRealmValue {
  /// What an element of `HistoryNode.mixed` is known by.
  var numberOrSerial: Int {
    if self == .none { return HistoryFile.nothing }
    return intValue ?? object(HistoryNode.self)?.serial ?? listValue![0].intValue!
  }

  /// The serials of the nodes that it is or that are anywhere inside of it.
  var nodes: [Int] {
    if let node = object(HistoryNode.self) { return [node.serial] }
    if let list = listValue { return list.flatMap(\.nodes) }
    return dictionaryValue?.flatMap(\.value.nodes) ?? []
  }
}
