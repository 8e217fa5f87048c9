import Foundation
import Testing

@testable import RealmSwift

/// Lists and dictionaries in one another, many more than a realm keeps.
@Suite struct DeepNestingTests {
  private let file = TemporaryRealm([Crate.self])
  private static let tooDeep = "Maximum nesting level of 100 exceeded"

  /// Alternating arrays and dictionaries.
  private static func plain(levels: Int) -> Any {
    var value: Any = 1
    for level in 0..<levels { value = level % 2 == 0 ? [value] : ["inner": value] }
    return value
  }

  private static func value(levels: Int, _ innermost: AnyRealmValue = .int(1)) -> AnyRealmValue {
    var value = innermost
    for level in 0..<levels {
      value = level % 2 == 0 ? .fromArray([value]) : .fromDictionary(["inner": value])
    }
    return value
  }

  private static func levels(of value: AnyRealmValue) -> Int {
    var (value, levels) = (value, 0)
    while true {
      switch value {
      case .list(let list): value = list.first ?? .none
      case .dictionary(let map): value = map["inner"] ?? .none
      default: return levels
      }
      levels += 1
    }
  }

  private func expectTooDeep(_ result: ExitTest.Result?, after text: String = "") {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains(Self.tooDeep) && output.hasPrefix(text))
  }

  @Test func aHundredLevelsAreKept() throws {
    let realm = try file.open()
    try realm.write {
      realm.create(Crate.self, value: ["id": 1, "content": Self.plain(levels: 100)])
      realm.create(
        Crate.self, value: ["id": 2, "contents": [Self.plain(levels: 100)]] as [String: Any])
      realm.dynamicCreate("Crate", value: ["id": 3, "content": Self.plain(levels: 100)])
      realm.add(Crate(value: ["id": 4, "content": Self.value(levels: 100)]))
    }
    let crates = Array(realm.objects(Crate.self).sorted(byKeyPath: "id"))
    #expect(crates.map { Self.levels(of: $0.content) } == [100, 0, 100, 100])
    #expect(Self.levels(of: crates[1].contents[0]) == 100)
    #expect(Self.levels(of: crates[0].freeze().content) == 100)
    let copy = try JSONDecoder().decode(
      AnyRealmValue.self, from: try JSONEncoder().encode(crates[0].content))
    #expect(Self.levels(of: copy) == 100)
    try realm.write {
      realm.create(Crate.self, value: ["id": 1, "content": crates[2].content], update: .modified)
      realm.delete(crates[3])
    }
    #expect(Self.levels(of: crates[0].content) == 100)
  }

  @Test func thousandsOfLevelsAreRefusedWithOneLine() async {
    expectTooDeep(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let realm = try TemporaryRealm([Crate.self]).open()
        realm.beginWrite()
        realm.create(Crate.self, value: ["content": Self.plain(levels: 3000)])
      })
    expectTooDeep(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let realm = try TemporaryRealm([Crate.self]).open()
        realm.beginWrite()
        realm.dynamicCreate("Crate", value: ["content": Self.plain(levels: 3000)])
      })
    expectTooDeep(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let realm = try TemporaryRealm([Crate.self]).open()
        realm.beginWrite()
        realm.create(Crate.self).content = Self.value(levels: 3000)
      })
    expectTooDeep(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Crate(value: ["content": Self.plain(levels: 3000)])
      })
  }

  @Test func whatIsPutInLaterCountsFromTheOutermost() async throws {
    let realm = try file.open()
    try realm.write {
      let crate = realm.create(Crate.self, value: ["content": Self.value(levels: 60)])
      var list = crate.content
      for _ in 0..<59 {
        list = list.listValue?.first ?? list.dictionaryValue?["inner"] ?? .none
      }
      let innermost = try #require(list.listValue)
      innermost.append(Self.value(levels: 40))
      #expect(Self.levels(of: innermost[1]) == 40)
    }
    expectTooDeep(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let realm = try TemporaryRealm([Crate.self]).open()
        realm.beginWrite()
        let crate = realm.create(Crate.self, value: ["content": [] as [Any]])
        var list = crate.content.listValue!
        for _ in 0..<99 {
          list.append(.fromArray([]))
          list = list[0].listValue!
        }
        FileHandle.standardError.write(Data("99 put in\n".utf8))
        list.append(.fromArray([]))
      }, after: "99 put in")
  }

  @Test func withoutARealmAnyDepthIsComparedAndFreed() {
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      let (one, other) = (Self.value(levels: 100_000), Self.value(levels: 100_000))
      let third = Self.value(levels: 100_000, .int(2))
      #expect(one == other && one != third)
      #expect(one.dictionaryValue?.description.contains("<Maximum depth exceeded>") == true)
      isDone.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    isDone.wait()
  }

  @Test func whatIsTooDeepForARealmIsNotEncoded() throws {
    #expect(throws: EncodingError.self) {
      try JSONEncoder().encode(Self.value(levels: 100_000))
    }
    let text = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(AnyRealmValue.self, from: Data(text.utf8))
    }
  }

  @Test func listsThatHoldThemselvesAreCompared() {
    let lists = (0..<3).map { _ in List<AnyRealmValue>() }
    for list in lists { list.append(.list(list)) }
    lists[2].append(.int(1))
    #expect(lists[0] == lists[1] && lists[0] != lists[2])
    lists.forEach { $0.removeAll() }
  }
}
