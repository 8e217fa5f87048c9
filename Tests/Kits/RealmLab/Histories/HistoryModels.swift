import RealmSwift

/// What histories are made of. Every change of a property also counts up a stamp, so that two
/// versions of an object tell which of its properties were set in between, also to what they were.
public final class HistoryNode: Object {
  @Persisted(primaryKey: true) var id: Int
  /// No other object has or had it.
  @Persisted var serial: Int
  @Persisted(indexed: true) var age: Int
  @Persisted var ageStamp: Int
  @Persisted var name: String
  @Persisted var nameStamp: Int
  @Persisted var favourite: HistoryNode?
  @Persisted var favouriteStamp: Int
  @Persisted var listStamp: Int
  /// Elements come, go and move.
  @Persisted var friends: List<HistoryNode>
  /// Elements are replaced as well.
  @Persisted var pals: List<HistoryNode>
  @Persisted var numbers: List<Int>
  @Persisted(originProperty: "friends") var befriendedBy: LinkingObjects<HistoryNode>
}

/// Counts what the writers did.
public final class HistoryClock: Object {
  @Persisted var commits: Int
  @Persisted var serial: Int
}

public enum HistoryFile {
  static let hub = -1

  static func configuration(_ path: String) -> Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: .init(fileURLWithPath: path),
      objectTypes: [HistoryNode.self, HistoryClock.self])
    configuration.durability = .relaxed
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
  }

  /// In the order of the class's objects.
  var rows: [Row] = []
  var bySerial: [Int: Row] = [:]
  var hub: Row { rows[0] }

  init(_ realm: Realm) {
    for node in realm.objects(HistoryNode.self) {
      let row = Row(
        serial: node.serial, age: node.age, ageStamp: node.ageStamp, name: node.name,
        nameStamp: node.nameStamp, favourite: node.favourite?.serial,
        favouriteStamp: node.favouriteStamp, listStamp: node.listStamp,
        friends: node.friends.map(\.serial), pals: node.pals.map(\.serial),
        numbers: Array(node.numbers))
      rows.append(row)
      bySerial[row.serial] = row
    }
  }

  func age(_ serial: Int) -> Int { bySerial[serial]!.age }
}
