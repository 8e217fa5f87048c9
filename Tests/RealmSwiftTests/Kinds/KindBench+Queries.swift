import Foundation
import RealmSwift
import Testing

// Queries, copies, migrations and observers of a type.
extension KindBench {
  func queries() throws {
    let boxes = try filled().objects(Box.self)
    for (id, value) in samples.enumerated() {
      let found: [(String, Results<Box>)] = [
        ("==", boxes.where { $0.plain == value }), ("maybe", boxes.where { $0.maybe == value }),
        ("in", boxes.where { $0.plain.in([value]) }),
        ("list", boxes.where { $0.list.contains(value) }),
        ("list ==", boxes.where { $0.list == value }),
        ("set", boxes.where { $0.set.contains(value) }),
        ("map", boxes.where { $0.map.contains(value) }),
        ("key", boxes.where { $0.map["key"] == value }),
        ("values", boxes.where { $0.map.values == value }),
        ("any in", boxes.where { $0.list.containsAny(in: [value]) }),
        ("string", boxes.filter("plain == %@", value)),
        ("IN", boxes.filter("maybe IN %@", [value])),
        ("ANY", boxes.filter("ANY list == %@", value)),
        ("CONTAINS", boxes.filter("%@ IN set", value)),
        ("[]", boxes.filter("map['key'] == %@", value)),
        ("first", boxes.filter("list[FIRST] == %@", value)),
        ("values", boxes.filter("ANY map.@allValues == %@", value)),
        ("self", boxes.filter("plain == maybe AND plain == %@", value)),
        ("#Predicate", boxes.filter(NSPredicate(format: "plain = %@", value))),
      ]
      for (name, results) in found { check(results.map(\.id) == [id], "\(name) \(value)") }
      check(boxes.where { $0.plain != value }.count == samples.count - 1)
      check(boxes.where { !($0.maybe == value) }.count == samples.count - 1)
      check(boxes.index(matching: { $0.plain == value }) == id)
    }
    check(boxes.where { $0.plain.in(samples) }.count == samples.count)
  }

  func nilQueries() throws {
    let realm = try filled()
    let boxes = realm.objects(Box.self)
    try realm.write { boxes[1].maybe = nil }
    check(boxes.where { $0.maybe == nil }.map(\.id) == [1])
    check(boxes.filter("maybe == nil").map(\.id) == [1])
    check(boxes.filter("maybe != %@", NSNull()).count == samples.count - 1)
    check(boxes.where { $0.maybes == nil }.count == samples.count)
    check(boxes.filter("ANY maybes == nil").count == samples.count)
    check(boxes.where { $0.maybeMap["none"] == nil }.count == samples.count)
    check(boxes.filter("maybes.@count == 2").count == samples.count)
  }

  func copying() throws {
    let realm = try filled()
    let other = TemporaryRealm([Box.self])
    let target = try other.open()
    try target.write {
      for box in realm.objects(Box.self) { target.create(Box.self, value: box) }
    }
    check(isWhole(target))
    try target.write {
      for box in realm.objects(Box.self) { target.create(Box.self, value: box, update: .modified) }
      for box in realm.objects(Box.self) { target.create(Box.self, value: box, update: .all) }
    }
    check(isWhole(target))
    let url = other.directory.appendingPathComponent("copy.realm")
    try realm.writeCopy(toFile: url)
    var configuration = other.configuration
    configuration.fileURL = url
    check(isWhole(try Realm(configuration: configuration)))
  }

  func migrating() throws {
    try autoreleasepool { _ = try filled() }
    var configuration = file.configuration
    configuration.objectTypes = [NextKindBox<Value>.self]
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.renameProperty(onType: "Box", from: "map", to: "renamed")
      migration.enumerateObjects(ofType: "Box") { old, new in new!["any"] = old!["plain"] }
    }
    let realm = try Realm(configuration: configuration)
    let boxes = realm.objects(NextKindBox<Value>.self)
    check(boxes.count == samples.count)
    for (box, value) in zip(boxes, samples) {
      check(box.plain == value && box.maybe == value && Array(box.list) == [value])
      check(Array(box.set) == [value] && box.renamed["key"] == value)
      check(boxes.where { $0.any == box.any }.count == 1)
    }
  }

  func coding() throws {
    guard let type = Value.self as? any Codable.Type else { return }
    func recode<Coded: Codable>(_ type: Coded.Type, _ value: Any) throws -> Any {
      let data = try JSONEncoder().encode([value as! Coded])
      return try JSONDecoder().decode([Coded].self, from: data)[0]
    }
    for value in samples {
      let decoded = try recode(type, value) as? Value
      check(decoded == value, "\(value)")
    }
    let realm = try filled()
    let list = realm.objects(Box.self)[0].list
    guard let encodable = list as? any Encodable else {
      return check(false, "the list cannot be encoded")
    }
    let text = String(decoding: try JSONEncoder().encode(encodable), as: UTF8.self)
    check(text.hasPrefix("[") && text.count > 2)
  }

  func observing() async throws {
    let observatory = Observatory([Box.self])
    let samples = samples
    observatory.writeElsewhere { $0.add(Box(1, samples[0])) }
    let boxes = (0..<4).map { _ in RealmBox() }
    observatory.run { realm in
      let box = realm.objects(Box.self)[0]
      boxes[0].token = box.observe { (change: ObjectChange<Box>) in
        guard case .change(let box, let changes) = change else { return }
        observatory.tell("object \(changes.map(\.name).sorted()) \(box.plain == samples[1])")
      }
      boxes[1].token = box.list.observe { observatory.tell("list \($0.text)") }
      boxes[2].token = box.set.observe { observatory.tell("set \($0.text)") }
      boxes[3].token = realm.objects(Box.self).where { $0.plain == samples[1] }
        .observe { observatory.tell("results \($0.text)") }
    }
    check(await told(3, observatory) == ["list initial", "set initial", "results initial"])
    observatory.writeElsewhere { realm in
      let box = realm.objects(Box.self)[0]
      box.plain = samples[1]
      box.list.append(samples[1])
      box.set.remove(samples[0])
      box.map["key"] = samples[1]
    }
    let told = await told(4, observatory)
    check(
      told == [
        "object [\"list\", \"map\", \"plain\", \"set\"] true", "list [] [1] []", "set [0] [] []",
        "results [] [0] []",
      ], "\(told)")
    observatory.run { _ in boxes.forEach { $0.token = nil } }
  }

  private func told(_ count: Int, _ observatory: Observatory) async -> Set<String> {
    var told: Set<String> = []
    for _ in 0..<count { told.insert(await observatory.next() ?? "nothing") }
    return told
  }
}
