import Foundation
import RealmSwift
import TestSupport
import Testing

final class Drawer: Object {
  @Persisted var name: String
  @Persisted var counts: Map<String, Int>
  @Persisted var texts: Map<String, String?>
  @Persisted var doubles: Map<String, Double>
  @Persisted var decimals: Map<String, Decimal128>
  @Persisted var dates: Map<String, Date>
  @Persisted var blobs: Map<String, Data>
  @Persisted var ids: Map<String, ObjectId>
  @Persisted var flags: Map<String, Bool>
  @Persisted var colours: Map<String, Colour>
  @Persisted var anything: Map<String, AnyRealmValue>
  @Persisted var tools: Map<String, Tool?>
}

final class Tool: Object {
  @Persisted var label: String
  @Persisted var weight: Int
  @Persisted(originProperty: "tools") var drawers: LinkingObjects<Drawer>

  convenience init(_ label: String, _ weight: Int = 0) {
    self.init()
    self.label = label
    self.weight = weight
  }
}

extension RealmMapChange {
  var text: String {
    switch self {
    case .initial: "initial"
    case .update(_, let deletions, let insertions, let modifications):
      "\(deletions) \(insertions) \(modifications)"
    case .error(let error): "error \(error)"
    }
  }
}

@Suite struct MapTests {
  let observatory = Observatory([Drawer.self, Tool.self])
  var file: TemporaryRealm { observatory.file }

  @Test(arguments: [false, true])
  func `gives and takes values by key, managed or not`(isManaged: Bool) throws {
    let realm = try file.open()
    let drawer = Drawer()
    try realm.write {
      if isManaged { realm.add(drawer) }
      drawer.counts["b"] = 2
      drawer.counts.updateValue(1, forKey: "a")
      drawer.counts["c"] = 3
      drawer.counts["b"] = 20
      #expect(drawer.counts.count == 3 && drawer.counts["b"] == 20 && drawer.counts["z"] == nil)
      #expect(drawer.counts.keys == ["a", "b", "c"] && drawer.counts.values == [1, 20, 3])
      #expect(drawer.counts.map { "\($0.key)\($0.value)" } == ["a1", "b20", "c3"])
      #expect(drawer.counts.contains { key, value in key == "c" && value == 3 })
      drawer.counts["a"] = nil
      drawer.counts.removeObject(for: "none")
      drawer.counts.merge([("b", 1), ("d", 4)].map { (key: $0.0, value: $0.1) }) { $0 + $1 }
      #expect(drawer.counts.asKeyValueSequence().map { "\($0)\($1)" } == ["b21", "c3", "d4"])
      drawer.counts.removeAll()
      #expect(drawer.counts.isEmpty)
    }
  }

  @Test func `every kind of value comes back after reopening`() throws {
    let (id, date) = (ObjectId.generate(), Date(timeIntervalSince1970: 5))
    do {
      let realm = try file.open()
      try realm.write {
        realm.create(
          Drawer.self,
          value: [
            "counts": ["x": 1, "y": -1], "texts": ["x": "t", "y": nil] as [String: String?],
            "doubles": ["x": 2.5], "decimals": ["x": Decimal128(7)], "dates": ["x": date],
            "blobs": ["x": Data([1, 2])], "ids": ["x": id], "flags": ["x": true, "y": false],
            "colours": ["x": Colour.green],
            "anything": ["x": AnyRealmValue.int(1), "y": .string("s"), "z": AnyRealmValue.none],
            "tools": ["x": Tool("saw", 3)],
          ] as [String: Any])
      }
    }
    let drawer = try #require(try file.open().objects(Drawer.self).first)
    #expect(drawer.counts.values == [1, -1] && drawer.doubles["x"] == 2.5)
    #expect(drawer.texts.values == ["t", nil] && drawer.texts["y"] == .some(nil))
    #expect(drawer.decimals["x"] == 7 && drawer.dates["x"] == date && drawer.ids["x"] == id)
    #expect(drawer.blobs["x"] == Data([1, 2]) && drawer.flags.values == [true, false])
    #expect(drawer.colours["x"] == .green)
    #expect(drawer.anything.values == [.int(1), .string("s"), .none])
    #expect(drawer.tools["x"]??.label == "saw")
  }

  @Test func `objects are linked to, and become nil when they are deleted`() throws {
    let realm = try file.open()
    let (drawer, saw) = (Drawer(), Tool("saw", 3))
    try realm.write {
      realm.add(drawer)
      drawer.tools["a"] = saw
      drawer.tools["b"] = Tool("file", 1)
      drawer.tools["c"] = .some(nil)
      drawer.tools["d"] = saw
    }
    #expect(saw.drawers.count == 2 && realm.objects(Tool.self).count == 2)
    #expect(drawer.tools.where { $0.weight > 2 }.count == 2)
    #expect(drawer.tools.sorted(by: \.weight).map { $0?.label } == ["file", "saw", "saw"])
    #expect(drawer.tools.sum(ofProperty: "weight") == 7)
    try realm.write { realm.delete(saw) }
    #expect(drawer.tools.keys == ["a", "b", "c", "d"])
    #expect(drawer.tools.values.map { $0?.label } == [nil, "file", nil, nil])
    try realm.write { realm.delete(drawer.tools) }
    #expect(realm.objects(Tool.self).isEmpty && drawer.tools.count == 4)
    try realm.write { realm.delete(drawer) }
    #expect(realm.isEmpty)
  }

  @Test func `is assigned by content, and described to the schema`() throws {
    let realm = try file.open()
    let (first, second) = (Drawer(), Drawer())
    first.counts["a"] = 1
    try realm.write {
      realm.add([first, second])
      second.counts = first.counts
      first.counts["b"] = 2
      first.counts = first.counts
    }
    #expect(second.counts.keys == ["a"] && first.counts.count == 2)
    #expect(realm.schema["Drawer"]?["tools"]?.isMap == true)
    #expect(realm.schema["Drawer"]?["tools"]?.objectClassName == "Tool")
    #expect(first.counts.max() == 2 && first.counts.sum() == 3)
    #expect(realm.objects(Drawer.self).where { $0.counts.contains(2) }.count == 1)
  }

  @Test func `is coded as a dictionary`() throws {
    let drawer = Drawer()
    drawer.counts["a"] = 1
    let text = String(decoding: try JSONEncoder().encode(drawer.counts), as: UTF8.self)
    #expect(text == #"{"a":1}"#)
    let decoded = try JSONDecoder().decode(Map<String, Int>.self, from: Data(text.utf8))
    #expect(decoded["a"] == 1)
  }

  @Test func `stays as it was when frozen, and crosses threads by a reference`() async throws {
    let realm = try file.open()
    let drawer = Drawer()
    try realm.write {
      realm.add(drawer)
      drawer.counts["a"] = 1
    }
    let frozen = drawer.counts.freeze()
    let reference = ThreadSafeReference(to: drawer.counts)
    try realm.write { drawer.counts["b"] = 2 }
    #expect(frozen.keys == ["a"] && frozen.thaw()?.keys == ["a", "b"])
    observatory.run { [observatory] realm in
      observatory.tell("\(realm.resolve(reference).map { $0.keys } ?? [])")
    }
    #expect(await observatory.next() == "[\"a\", \"b\"]")
  }

  @Test func `tells what changed, by key`() async {
    let box = RealmBox()
    observatory.run { [observatory] realm in
      let drawer = Drawer()
      try realm.write {
        realm.add(drawer)
        for (index, key) in ["a", "c", "e"].enumerated() { drawer.counts[key] = index }
        drawer.tools["x"] = Tool("saw")
      }
      box.token = drawer.counts.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in
      let counts = realm.objects(Drawer.self)[0].counts
      counts["b"] = 9
      counts["c"] = 8
      counts["a"] = nil
      counts["e"] = nil
      counts["e"] = 7
    }
    #expect(await observatory.next() == #"["a"] ["b"] ["c", "e"]"#)
    observatory.run { [observatory] realm in
      box.token = realm.objects(Drawer.self)[0].tools.observe { observatory.tell($0.text) }
    }
    #expect(await observatory.next() == "initial")
    observatory.writeElsewhere { realm in realm.objects(Tool.self)[0].label = "new" }
    #expect(await observatory.next() == #"[] [] ["x"]"#)
    observatory.writeElsewhere { realm in realm.delete(realm.objects(Tool.self)[0]) }
    #expect(await observatory.next() == #"[] [] ["x"]"#)
  }

  @Test func `is changed within write transactions only`() async {
    await #expect(processExitsWith: .failure) {
      let realm = try TemporaryRealm([Drawer.self, Tool.self]).open()
      let drawer = Drawer()
      try realm.write { realm.add(drawer) }
      drawer.counts["a"] = 1
    }
  }

  /// Random changes, against Swift's own dictionary.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `does as a dictionary of Swift's does`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let realm = try file.open()
    let drawer = Drawer()
    var model: [String: Int] = [:]
    try realm.write { realm.add(drawer) }
    for step in 0..<40 {
      try realm.write {
        for _ in 0..<40 {
          let key = "k\(Int.random(in: 0..<900, using: &random))"
          switch Int.random(in: 0..<100, using: &random) {
          case 0..<70:
            drawer.counts[key] = step
            model[key] = step
          case 70..<99:
            drawer.counts[key] = nil
            model[key] = nil
          default:
            drawer.counts.removeAll()
            model = [:]
          }
        }
      }
      #expect(drawer.counts.keys == model.keys.sorted(), "seed \(seed), step \(step)")
      #expect(drawer.counts.values == model.keys.sorted().map { model[$0] })
    }
  }
}
