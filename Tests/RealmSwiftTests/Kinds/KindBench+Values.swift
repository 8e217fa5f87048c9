import Foundation
import RealmSwift
import Testing

// What is done with properties that are no collections.
extension KindBench {
  func defaults() throws {
    let box = Box()
    if let initial = Value.initial { check(box.plain == initial) }
    check(box.maybe == nil && box.list.isEmpty && box.set.isEmpty && box.map.count == 0)
    let plain = box.plain
    let realm = try file.open()
    try realm.write { realm.add(box) }
    check(box.plain == plain && realm.objects(Box.self)[0].plain == plain)
    check(realm.objects(Box.self)[0].maybe == nil)
    let property = try #require(realm.schema["Box"]?["plain"])
    check(property.type == realm.schema["Box"]?["list"]?.type && !property.isOptional)
    check(realm.schema["Box"]?["maybe"]?.isOptional == true)
  }

  func settings() throws {
    let realm = try filled()
    let box = realm.objects(Box.self)[0]
    for value in samples.reversed() {
      try realm.write {
        box.plain = value
        box.maybe = value
      }
      check(box.plain == value && box.maybe == value)
    }
    realm.beginWrite()
    box.plain = samples[1]
    check(box.plain == samples[1])
    realm.cancelWrite()
    check(box.plain == samples[0])
  }

  func nils() throws {
    let realm = try filled()
    let box = realm.objects(Box.self)[1]
    try realm.write {
      box.maybe = nil
      box.maybes[0] = nil
      box.maybeMap["key"] = .some(nil)
    }
    check(box.maybe == nil && Array(box.maybes) == [nil, nil])
    check(box.maybeMap["key"] == .some(.none) && box.plain == samples[1])
    try realm.write { box.maybe = samples[0] }
    check(box.maybe == samples[0])
  }

  func readBack(_ file: TemporaryRealm) throws {
    try autoreleasepool { _ = try filled(file) }
    check(isWhole(try file.open()))
  }

  func created() throws {
    let realm = try file.open()
    try realm.write {
      for (id, value) in samples.enumerated() {
        realm.create(
          Box.self,
          value: [
            "id": id, "plain": value, "maybe": value, "list": [value],
            "maybes": [value as Value?, nil], "set": [value], "map": ["key": value],
            "maybeMap": ["key": value as Value?, "none": nil],
          ] as [String: Any])
      }
    }
    check(isWhole(realm))
    try realm.write {
      for (id, value) in samples.reversed().enumerated() {
        realm.create(
          Box.self,
          value: ["id": id, "plain": value, "list": [value, value], "map": ["a": value]]
            as [String: Any], update: .modified)
      }
      let other = Box(0, samples[1])
      realm.add(other, update: .all)
    }
    check(realm.objects(Box.self)[0].holds(samples[1]))
    let last = realm.objects(Box.self).last!
    check(last.plain == samples[0] && Array(last.list) == [samples[0], samples[0]])
    check(last.map["a"] == samples[0] && last.maybe == samples.last)
  }

  func byName() throws {
    let realm = try filled()
    let box = realm.objects(Box.self)[0]
    check(
      box["plain"] as? Value == samples[0] && box.value(forKey: "maybe") as? Value == samples[0])
    try realm.write {
      box["plain"] = samples[1]
      box.setValue(nil, forKey: "maybe")
      box["list"] = samples
    }
    check(box.plain == samples[1] && box.maybe == nil && Array(box.list) == samples)
    check(box["maybe"] == nil && box.value(forKeyPath: "list.@count") as? Int == samples.count)
    let dynamic = realm.dynamicObjects("Box")[0]
    check(dynamic["plain"] != nil && dynamic["maybe"] == nil)
    try realm.write { dynamic["plain"] = samples[0] }
    check(box.plain == samples[0] && box.description.contains("plain"))
    try realm.write { realm.dynamicCreate("Box", value: ["id": 99, "plain": samples[1]]) }
    check(realm.object(ofType: Box.self, forPrimaryKey: 99)?.plain == samples[1])
  }

  func freezing() throws {
    let realm = try filled()
    let box = realm.objects(Box.self)[0]
    let (frozen, list, map) = (box.freeze(), box.list.freeze(), box.map.freeze())
    let (set, sorted) = (box.set.freeze(), realm.objects(Box.self).freeze())
    try realm.write {
      box.plain = samples[1]
      box.list.removeAll()
      box.map.removeAll()
      box.set.removeAll()
    }
    check(frozen.holds(samples[0]) && sorted[0].holds(samples[0]))
    check(Array(list) == [samples[0]] && map["key"] == samples[0] && set.contains(samples[0]))
    check(frozen.thaw()?.plain == samples[1] && list.thaw()?.isEmpty == true)
  }

  func threads() throws {
    let realm = try filled()
    let box = realm.objects(Box.self)[0]
    let references = (ThreadSafeReference(to: box), ThreadSafeReference(to: box.list))
    let (file, value) = (file, samples[1])
    let elsewhere = LoopThread(name: "elsewhere")
    elsewhere.performAndWait {
      let realm = try! file.open()
      let (box, list) = (realm.resolve(references.0)!, realm.resolve(references.1)!)
      check(box.holds(samples[0]) && list.count == 1)
      try! realm.write {
        box.plain = value
        list.append(value)
        box.map["more"] = value
        box.set.insert(value)
      }
    }
    elsewhere.join()
    realm.refresh()
    check(box.plain == value && box.list.last == value && box.map["more"] == value)
    check(box.set.contains(value) && box.set.count == 2)
  }

  func inAnyRealmValue() throws {
    let realm = try filled()
    try realm.write {
      let stored = realm.dynamicObjects("Box").map { $0["plain"]! }
      let other = try TemporaryRealm([Crate.self]).open()
      try other.write {
        for (id, value) in stored.enumerated() {
          other.create(
            Crate.self, value: ["id": id, "content": value, "contents": [value, [value]]])
        }
      }
      let crates = other.objects(Crate.self)
      for (crate, value) in zip(crates, stored) {
        check(crate["content"] as? AnyHashable == value as? AnyHashable, "\(value)")
        check(
          crate.contents[0] == crate.content && crate.contents[1].listValue?[0] == crate.content)
        check(crates.where { $0.content == crate.content }.map(\.id) == [crate.id])
        check(crates.filter("contents[1][0] == %@", crate.content).map(\.id) == [crate.id])
      }
    }
  }
}
