import Glibc
import RealmSwift
import Testing

final class Depot: Object {
  @Persisted var set: MutableSet<DepotItem>
  @Persisted var map: Map<String, DepotItem?>
  @Persisted var anySet: MutableSet<AnyRealmValue>
  @Persisted var anyMap: Map<String, AnyRealmValue>
  @Persisted var anyList: List<AnyRealmValue>
  @Persisted var numbers: MutableSet<Int>
  @Persisted var counts: Map<String, Int>
}

final class DepotItem: Object {
  @Persisted var number: Int
}

/// What an operation costs goes by what it changes or asks for, not by the collection's size.
@Suite(.serialized) struct CollectionCostTests {
  private static func threadTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private static func busy(_ body: () throws -> Void) rethrows -> Duration {
    let start = threadTime()
    try body()
    return threadTime() - start
  }

  /// A realm with a depot that `fill` has filled.
  private func depot(
    _ count: Int, _ fill: (Depot, [DepotItem]) -> Void
  ) throws -> (realm: Realm, depot: Depot, items: [DepotItem]) {
    let realm = try Realm(
      configuration: .init(
        inMemoryIdentifier: "depot \(count)", objectTypes: [Depot.self, DepotItem.self]))
    let made = try realm.write {
      realm.deleteAll()
      let depot = realm.create(Depot.self)
      let items = (0..<count).map { realm.create(DepotItem.self, value: ["number": $0]) }
      fill(depot, items)
      return (depot, items)
    }
    return (realm, made.0, made.1)
  }

  @Test func `an element's place in a set`() throws {
    let times = try [500, 50_000].map { count in
      let (_, depot, _) = try depot(0) { depot, _ in
        depot.numbers.insert(objectsIn: (0..<count).map { $0 * 2 })
      }
      return Self.busy {
        for place in 0..<200 {
          let index = count - 1 - place
          #expect(depot.numbers.index(of: index * 2) == index)
          #expect(depot.numbers.index(of: index * 2 + 1) == nil)
        }
      }
    }
    #expect(times[1] < times[0] * 4 + .milliseconds(50), "\(times)")
  }

  /// Half of the objects go one by one, from the last that the collection holds to the first.
  private func deletingTimes(
    _ sizes: [Int], left: (Depot) -> Int, _ fill: (Depot, [DepotItem]) -> Void
  ) throws -> [Duration] {
    try sizes.map { count in
      let (realm, depot, items) = try depot(count, fill)
      let time = try Self.busy {
        try realm.write { for item in items.suffix(count / 2).reversed() { realm.delete(item) } }
      }
      #expect(left(depot) == count / 2)
      return time
    }
  }

  @Test func `deleting objects that a set holds`() throws {
    let times = try deletingTimes([3_000, 30_000], left: { $0.set.count }) { depot, items in
      depot.set.insert(objectsIn: items)
    }
    #expect(times[1] < times[0] * 25 + .milliseconds(50), "\(times)")
  }

  @Test func `deleting objects that a set of values holds`() throws {
    let times = try deletingTimes([1_000, 10_000], left: { $0.anySet.count }) { depot, items in
      depot.anySet.insert(objectsIn: items.map { .object($0) })
    }
    #expect(times[1] < times[0] * 25 + .milliseconds(50), "\(times)")
  }

  @Test func `deleting objects that a map holds`() throws {
    let left = { (depot: Depot) in depot.map.values.filter { $0 != nil }.count }
    let times = try deletingTimes([3_000, 30_000], left: left) { depot, items in
      for item in items { depot.map["\(item.number)"] = .some(item) }
    }
    #expect(times[1] < times[0] * 25 + .milliseconds(50), "\(times)")
  }

  /// In one transaction, or one in each, which has no memory of what others looked for.
  private func movingTime(inOneTransaction isOne: Bool) throws -> Duration {
    let (realm, depot, items) = try depot(5_000) { depot, items in
      for item in items { depot.map["\(item.number)"] = .some(item) }
    }
    let last = items.sorted { "\($0.number)" > "\($1.number)" }.prefix(200)
    func delete(_ item: DepotItem) {
      depot.map["-\(item.number)"] = .some(items[0])  // before all others
      realm.delete(item)
    }
    return try Self.busy {
      if isOne { return try realm.write { for item in last { delete(item) } } }
      for item in last { try realm.write { delete(item) } }
    }
  }

  @Test func `deleting objects from a map whose places move`() throws {
    let apart = try movingTime(inOneTransaction: false)
    let together = try movingTime(inOneTransaction: true)
    #expect(together < apart * 4 + .milliseconds(50), "\(together), \(apart) one by one")
  }

  /// Changes while objects go: what was known of the places does not hold any more.
  @Test func `objects that go from a map that changes meanwhile`() throws {
    let (realm, depot, items) = try depot(2_000) { depot, items in
      for item in items {
        depot.map["\(item.number)"] = .some(item)
        depot.anyMap["\(item.number)"] = .object(item)
        depot.anyList.append(.object(item))
      }
    }
    try realm.write {
      for (step, item) in items.reversed().enumerated() where step < 1_500 {
        let other = items[step / 5]
        switch step % 40 {
        case 7: depot.map["-\(step)"] = .some(other)
        case 17: depot.map["-\(step - 10)"] = nil
        case 27: depot.map["9\(step)"] = .some(item)
        case 31: depot.anyMap["-\(step)"] = .object(other)
        case 35: depot.anyList.insert(.object(item), at: 0)
        default: break
        }
        realm.delete(item)
      }
    }
    let kept = items.prefix(500).map(\.number)
    func numbers(_ values: [AnyRealmValue]) -> Set<Int> {
      Set(values.compactMap { $0.object(DepotItem.self)?.number })
    }
    #expect(Set(depot.map.values.compactMap { $0?.number }) == Set(kept))
    #expect(numbers(depot.anyMap.values) == Set(kept))
    #expect(numbers(Array(depot.anyList)) == Set(kept))
    try realm.write { realm.delete(items.filter { !$0.isInvalidated }) }
    #expect(depot.map.values.allSatisfy { $0 == nil })
    #expect(depot.anyMap.values.allSatisfy { $0 == .none })
    #expect(depot.anyList.allSatisfy { $0 == .none })
  }

  @Test(arguments: [false, true])
  func `a change in a nested collection`(isMap: Bool) throws {
    let times = try [500, 20_000].map { count in
      let (realm, depot, _) = try depot(0) { depot, _ in
        if isMap {
          for number in 0..<count { depot.anyMap["\(number)"] = .fromArray([]) }
        } else {
          depot.anyList.append(objectsIn: (0..<count).map { _ in .fromArray([]) })
        }
      }
      // One that was asked for before, and is not looked for again.
      let kept = isMap ? depot.anyMap["\(count - 1)"]! : depot.anyList[count - 1]
      return try Self.busy {
        for number in 0..<100 {
          try realm.write {
            let place = count - 2 - number * 2
            let inner = isMap ? depot.anyMap["\(place)"]! : depot.anyList[place]
            (number % 2 == 0 ? inner : kept).listValue!.append(.int(number))
          }
        }
      }
    }
    #expect(times[1] < times[0] * 4 + .milliseconds(50), "\(times)")
  }

  @Test func `an observer of a map is told of a key`() async throws {
    let sizes = [500, 50_000]
    var times: [Duration] = []
    for count in sizes {
      let observatory = Observatory([Depot.self, DepotItem.self])
      let box = RealmBox()
      let spent = Spent()
      observatory.run { realm in
        try realm.write {
          let depot = realm.create(Depot.self)
          for number in 0..<count { depot.counts["\(number)"] = number }
        }
        box.realm = realm
        box.token = realm.objects(Depot.self)[0].counts.observe { change in
          switch change {
          case .initial, .error: observatory.tell("initial")
          case .update(_, _, let insertions, _): spent.keys += insertions
          }
        }
      }
      #expect(await observatory.next() == "initial")
      observatory.run { realm in
        for number in 0..<20 {
          observatory.writeElsewhere { $0.objects(Depot.self)[0].counts["new \(number)"] = 0 }
          spent.time += Self.busy { realm.refresh() }
        }
        (box.token, box.realm) = (nil, nil)
      }
      #expect(spent.keys == (0..<20).map { "new \($0)" })
      times.append(spent.time)
    }
    #expect(times[1] < times[0] * 4 + .milliseconds(50), "\(times)")
  }
}

private final class Spent: @unchecked Sendable {
  // Sendable: used on one thread at a time.
  var time = Duration.zero
  var keys: [String] = []
}
