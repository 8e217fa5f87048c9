import RealmSwift

/// What an observer was told, with what the collection then held.
struct ToldChange {
  var isInitial = false
  var deletions: [Int] = []
  var insertions: [Int] = []
  var modifications: [Int] = []
  var contents: [Int] = []

  /// Where the modified elements are now, given how many there were before.
  func modified(of count: Int) -> [Int] {
    let (deleted, inserted) = (Set(deletions), Set(insertions))
    let stayed = zip(
      (0..<count).filter { !deleted.contains($0) },
      contents.indices.filter { !inserted.contains($0) })
    let places = Dictionary(uniqueKeysWithValues: stayed.map { ($0, $1) })
    return modifications.compactMap { places[$0] }
  }
}

/// What counts as a modification of an element.
enum Touch {
  /// Nothing: elements are values.
  case none
  case age, name, favouriteAge
  /// Anything in what is at most four links away.
  case deep

  func holds(_ serial: Int, _ old: HistoryImage, _ new: HistoryImage) -> Bool {
    guard let before = old.bySerial[serial], let after = new.bySerial[serial] else { return false }
    switch self {
    case .none: return false
    case .age: return before.ageStamp != after.ageStamp
    case .name: return before.nameStamp != after.nameStamp
    case .favouriteAge:
      if before.favourite != after.favourite || before.favouriteStamp != after.favouriteStamp {
        return true
      }
      return after.favourite.map { Touch.age.holds($0, old, new) } ?? false
    case .deep: return Self.isNearChange(serial, old, new)
    }
  }

  private static func isNearChange(
    _ serial: Int, _ old: HistoryImage, _ new: HistoryImage
  ) -> Bool {
    var near: Set<Int> = [serial]
    var frontier = near
    for depth in 0...4 {
      if frontier.contains(where: {
        old.bySerial[$0] != nil && old.bySerial[$0] != new.bySerial[$0]
      }) {
        return true
      }
      if depth == 4 { break }
      var next: Set<Int> = []
      for node in frontier {
        next.formUnion(new.bySerial[node]!.links)
      }
      frontier = next.subtracting(near)
      near.formUnion(next)
    }
    return false
  }
}

/// A collection that is observed, and how it can be found out by other means what it holds.
struct HistorySubject {
  let name: String
  let touch: Touch
  /// Of which object an element that is noted is, if of one.
  var serial: (Int) -> Int = { $0 }
  /// Whether elements may be replaced in their places, which counts as a modification.
  let canReplace: Bool
  let observe: (Realm, @escaping (ToldChange) -> Void) -> NotificationToken
  /// Asks anew.
  let contents: (Realm) -> [Int]
  /// What it should hold.
  let expected: ((HistoryImage) -> [Int]?)?

  init(
    name: String, touch: Touch, serial: @escaping (Int) -> Int,
    observe: @escaping (Realm, @escaping (ToldChange) -> Void) -> NotificationToken,
    contents: @escaping (Realm) -> [Int], expected: @escaping (HistoryImage) -> [Int]?
  ) {
    self.name = name
    self.touch = touch
    self.serial = serial
    canReplace = true
    self.observe = observe
    self.contents = contents
    self.expected = expected
  }

  init<C: RealmCollection>(
    _ name: String, _ touch: Touch, _ keyPaths: [String]?, canReplace: Bool = false,
    _ value: @escaping (C.Element) -> Int, _ expected: ((HistoryImage) -> [Int])?,
    _ make: @escaping (Realm) -> C
  ) {
    self.name = name
    self.touch = touch
    self.canReplace = canReplace
    self.expected = expected
    contents = { realm in make(realm).map(value) }
    observe = { realm, tell in
      make(realm).observe(keyPaths: keyPaths) { change in
        switch change {
        case .initial(let collection):
          tell(ToldChange(isInitial: true, contents: collection.map(value)))
        case .update(let collection, let deletions, let insertions, let modifications):
          tell(
            ToldChange(
              deletions: deletions, insertions: insertions, modifications: modifications,
              contents: collection.map(value)))
        case .error(let error): fatalError("\(name): \(error)")
        }
      }
    }
  }

  static func nodes<C: RealmCollection>(
    _ name: String, _ touch: Touch, _ keyPaths: [String]?, canReplace: Bool = false,
    _ expected: ((HistoryImage) -> [Int])?, _ make: @escaping (Realm) -> C
  ) -> HistorySubject where C.Element == HistoryNode {
    HistorySubject(name, touch, keyPaths, canReplace: canReplace, { $0.serial }, expected, make)
  }

  static func all(_ realm: Realm) -> Results<HistoryNode> {
    realm.objects(HistoryNode.self)
  }

  static func hub(_ realm: Realm) -> HistoryNode {
    realm.object(ofType: HistoryNode.self, forPrimaryKey: HistoryFile.hub)!
  }

  static var subjects: [HistorySubject] { results + lists + collections }

  private static var results: [HistorySubject] {
    [
      nodes("all", .deep, nil, { $0.rows.map(\.serial) }) { all($0) },
      nodes("all, age", .age, ["age"], { $0.rows.map(\.serial) }) { all($0) },
      nodes("older, age", .age, ["age"], { $0.rows.filter { $0.age > 30 }.map(\.serial) }) {
        all($0).where { $0.age > 30 }
      },
      nodes(
        "older by age, name", .name, ["name"],
        { image in image.rows.filter { $0.age > 30 }.sorted { $0.age < $1.age }.map(\.serial) },
        { all($0).where { $0.age > 30 }.sorted(by: \.age) }),
      nodes(
        "by age and name", .deep, nil,
        { image in image.rows.sorted { ($1.age, $0.name) < ($0.age, $1.name) }.map(\.serial) },
        {
          all($0).sorted(by: [
            SortDescriptor(keyPath: "age", ascending: false), SortDescriptor(keyPath: "name"),
          ])
        }),
      nodes(
        "favourite is older", .favouriteAge, ["favourite.age"],
        { image in
          image.rows.filter { $0.favourite.map { image.age($0) > 30 } ?? false }.map(\.serial)
        },
        { all($0).where { $0.favourite.age > 30 } }),
      nodes(
        "by favourite's age", .age, ["age"],
        { image in
          image.rows.sorted { left, right in
            let ages = [left, right].map { $0.favourite.map { image.age($0) } ?? Int.max }
            return ages[0] < ages[1]
          }.map(\.serial)
        },
        { all($0).sorted(byKeyPath: "favourite.age") }),
      nodes(
        "named a", .name, ["name"], { $0.rows.filter { $0.name == "a" }.map(\.serial) },
        { all($0).where { $0.name.text("A") } }),
      nodes("one of each age", .age, ["age"], nil) { all($0).distinct(by: [\.age]) },
    ]
  }

  private static var lists: [HistorySubject] {
    [
      nodes("friends, age", .age, ["age"], { $0.hub.friends }) { hub($0).friends },
      nodes("friends", .deep, nil, { $0.hub.friends }) { hub($0).friends },
      nodes(
        "friends by age", .age, ["age"],
        { image in image.hub.friends.sorted { image.age($0) < image.age($1) } },
        { hub($0).friends.sorted(by: \.age) }),
      nodes(
        "older friends", .name, ["name"],
        { image in image.hub.friends.filter { image.age($0) > 30 } },
        { hub($0).friends.where { $0.age > 30 } }),
      nodes("pals, age", .age, ["age"], canReplace: true, { $0.hub.pals }) { hub($0).pals },
      nodes("befriended by", .age, ["age"], nil) { hub($0).befriendedBy },
      HistorySubject("numbers", .none, nil, canReplace: true, { $0 }, { $0.hub.numbers }) {
        hub($0).numbers
      },
      HistorySubject("sorted numbers", .none, nil, { $0 }, { $0.hub.numbers.sorted() }) {
        hub($0).numbers.sorted()
      },
      HistorySubject("high numbers", .none, nil, { $0 }, { $0.hub.numbers.filter { $0 > 4 } }) {
        hub($0).numbers.where { $0 > 4 }
      },
    ]
  }
}
