import RealmSwift

// Sets, maps and embedded objects.
extension HistorySubject {
  static var collections: [HistorySubject] {
    [
      HistorySubject("number set", .none, nil, { $0 }, { $0.hub.numberSet }) { hub($0).numberSet },
      HistorySubject(
        "sorted number set", .none, nil, { $0 }, { $0.hub.numberSet.reversed() },
        { hub($0).numberSet.sorted(ascending: false) }),
      nodes("friend set, age", .age, ["age"], nil) { hub($0).friendSet },
      nodes("friend set", .deep, nil, nil) { hub($0).friendSet },
      nodes(
        "part is old, age", .age, ["age"],
        { image in
          image.rows.filter { $0.part.map { image.age($0) > 30 } ?? false }.map(\.serial)
        },
        { all($0).where { $0.part.age > 30 } }),
      nodes(
        "any part is old", .deep, nil,
        { image in
          image.rows.filter { $0.parts.contains { image.age($0) > 30 } }.map(\.serial)
        },
        { all($0).where { $0.parts.age > 30 } }),
      parts("parts, age", .age, ["age"], { $0.hub.parts }) { hub($0).parts },
      parts("parts", .deep, nil, { $0.hub.parts }) { hub($0).parts },
      parts(
        "parts by age", .age, ["age"],
        { image in image.hub.parts.sorted { image.age($0) < image.age($1) } },
        { hub($0).parts.sorted(by: \.age) }),
      nodes(
        "content is old", .deep, nil,
        { image in image.rows.filter { $0.contentAge ?? 0 > 30 }.map(\.serial) },
        { all($0).where { $0.content["age"] > .int(30) } }),
      nodes(
        "no content", .deep, nil,
        { image in image.rows.filter { $0.contentAge == nil }.map(\.serial) },
        { all($0).where { $0.content == .none } }),
      mixed("mixed", canReplace: true, { $0.hub.mixed }) { hub($0).mixed },
      mixed("sorted mixed", nil) { hub($0).mixed.sorted(ascending: true) },
      mixed(
        "lists in mixed",
        { image in
          let nodes = Set(image.rows.map(\.serial))
          return image.hub.mixed.filter { $0 > 0 && !nodes.contains($0) }
        },
        { hub($0).mixed.filter("self.@type == 'list'") }),
      mixed(
        "nodes in mixed",
        { image in
          let nodes = Set(image.rows.map(\.serial))
          return image.hub.mixed.filter { nodes.contains($0) }
        },
        { hub($0).mixed.filter("self.@type == 'object'") }),
      mixed("mixed set", { $0.hub.mixedSet }) { hub($0).mixedSet },
      HistorySubject("mixed map", .deep) {
        hub($0).mixedMap
      } value: {
        // Below zero is the end of the next key.
        $0.numberOrSerial < 0 ? 1_000_000 + $0.numberOrSerial : $0.numberOrSerial
      } expected: { image in
        image.hub.mixedMap.mapValues { $0 < 0 ? 1_000_000 + $0 : $0 }
      },
      HistorySubject("counts", .none) {
        hub($0).counts
      } value: {
        $0
      } expected: {
        $0.hub.counts
      },
      HistorySubject("named", .deep) {
        hub($0).named
      } value: {
        $0?.serial ?? 999_999
      } expected: { _ in
        nil
      },
    ]
  }

  private static func parts<C: RealmCollection>(
    _ name: String, _ touch: Touch, _ keyPaths: [String]?,
    _ expected: ((HistoryImage) -> [Int])?, _ make: @escaping (Realm) -> C
  ) -> HistorySubject where C.Element == HistoryPart {
    HistorySubject(
      name, touch, keyPaths, canReplace: C.self == List<HistoryPart>.self, { $0.serial }, expected,
      make)
  }

  private static func mixed<C: RealmCollection>(
    _ name: String, canReplace: Bool = false, _ expected: ((HistoryImage) -> [Int])?,
    _ make: @escaping (Realm) -> C
  ) -> HistorySubject where C.Element == AnyRealmValue {
    HistorySubject(
      name, .deep, nil, canReplace: canReplace, { $0.numberOrSerial }, expected, make)
  }

  /// A map, as a list of numbers that are made of keys ("0", "1" ...) and values, in the order of
  /// keys.
  private init<Value: RealmCollectionValue>(
    _ name: String, _ touch: Touch, _ make: @escaping (Realm) -> Map<String, Value>,
    value: @escaping (Value) -> Int, expected: @escaping (HistoryImage) -> [String: Int]?
  ) {
    func number(_ key: String, _ value: Int) -> Int { Int(key)! * 1_000_000 + value }
    func numbers(_ map: Map<String, Value>) -> [Int] {
      zip(map.keys, map.values).map { number($0, value($1)) }
    }
    // The keys as of the last call, or of a silent write since.
    var known: [String] = []
    self.init(
      name: name, touch: touch, serial: { $0 % 1_000_000 },
      observe: { realm, tell in
        make(realm).observe { change in
          switch change {
          case .initial(let map):
            known = map.keys
            tell(ToldChange(isInitial: true, contents: numbers(map)))
          case .update(let map, let deletions, let insertions, let modifications):
            let keys = map.keys
            tell(
              ToldChange(
                deletions: deletions.map { known.firstIndex(of: $0)! }.sorted(),
                insertions: insertions.map { keys.firstIndex(of: $0)! }.sorted(),
                modifications: modifications.map { known.firstIndex(of: $0)! }.sorted(),
                contents: numbers(map)))
            known = keys
          case .error(let error): fatalError("\(name): \(error)")
          }
        }
      },
      contents: { realm in
        let map = make(realm)
        known = map.keys
        return numbers(map)
      },
      expected: { image in
        expected(image)?.sorted { $0.key < $1.key }.map { number($0.key, $0.value) }
      })
  }
}
