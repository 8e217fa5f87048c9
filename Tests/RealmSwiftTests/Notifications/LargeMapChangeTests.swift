import RealmSwift
import Testing

final class Ledger: Object {
  @Persisted var sums: Map<String, Int>
  @Persisted var accounts: Map<String, Ledger?>
}

/// A commit that does more to a map than its history lists is compared key by key.
@Suite struct LargeMapChangeTests {
  private let observatory = Observatory([Ledger.self])
  private let box = RealmBox()

  /// Observes a map with keys 0 to 1,999, each with its number for a value, and lets `change`
  /// write.
  private func changes(
    _ change: @escaping @Sendable (Map<String, Int>) -> Void
  ) async -> String? {
    observatory.run { [observatory, box] realm in
      let ledger = Ledger()
      for number in 0..<2000 { ledger.sums["\(number)"] = number }
      try realm.write { realm.add(ledger) }
      box.realm = realm
      box.token = ledger.sums.observe { change in
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
          return observatory.tell("initial")
        }
        let parts = [deletions, insertions, modifications]
        observatory.tell(parts.map { "\($0.count) \($0.first ?? "-")" }.joined(separator: ", "))
      }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { change($0.objects(Ledger.self)[0].sums) }
    let told = await observatory.next()
    observatory.run { [box] _ in (box.token, box.realm) = (nil, nil) }
    return told
  }

  @Test func `keys that are replaced by others with the same values are told`() async {
    let told = await changes { sums in
      for number in 0..<600 {
        sums["\(number)"] = nil
        sums["new \(number)"] = number
      }
    }
    #expect(told == "600 0, 600 new 0, 0 -")
  }

  @Test func `values that change are modifications, and nothing comes or goes`() async {
    let told = await changes { sums in for number in 0..<2000 { sums["\(number)"]! += 1 } }
    #expect(told == "0 -, 0 -, 2000 0")
  }

  /// Both are the letter e with an accent, and two keys in a file.
  @Test func `a key that is written otherwise is another key`() async {
    let told = await changes { sums in
      sums["caf\u{65}\u{301}"] = 1
      for number in 0..<1100 { sums["\(number)"] = -1 }
    }
    #expect(told == "0 -, 1 cafe\u{301}, 1100 0")
  }

  @Test func `printing an object ends where a map leads back to it`() throws {
    let realm = try Realm(
      configuration: .init(inMemoryIdentifier: "ledger", objectTypes: [Ledger.self]))
    let ledger = try realm.write { realm.create(Ledger.self) }
    try realm.write { ledger.accounts["itself"] = ledger }
    #expect(ledger.description.contains("<Maximum depth exceeded>"))
  }

  @Test func `a silent write after invalidating leaves an observer of a map what it needs`() async {
    observatory.run { [observatory, box] realm in
      let ledger = Ledger()
      try realm.write { realm.add(ledger) }
      box.realm = realm
      box.token = ledger.sums.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.run { [box] realm in
      realm.invalidate()
      try realm.write(withoutNotifying: [box.token!]) {
        realm.objects(Ledger.self)[0].sums["silent"] = 1
      }
      try realm.write { realm.objects(Ledger.self)[0].sums["silent"] = nil }
    }
    #expect(await observatory.next() == #"["silent"] [] []"#)
    observatory.run { [box] _ in (box.token, box.realm) = (nil, nil) }
  }
}
