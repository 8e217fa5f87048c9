import Foundation
import RealmSwift
import Testing

// What is done with collections of a type.
extension KindBench {
  func lists() throws {
    let realm = try file.open()
    let list = try realm.write { realm.create(Box.self).list }
    try realm.write {
      list.append(objectsIn: samples)
      list.insert(samples[1], at: 0)
      list.append(samples[0])
    }
    var expected = [samples[1]] + samples + [samples[0]]
    check(Array(list) == expected && list.first == expected.first && list.last == expected.last)
    try realm.write {
      list.move(from: 0, to: 2)
      list.swapAt(0, 1)
      list[3] = samples[0]
      list.remove(at: 1)
    }
    expected.insert(expected.remove(at: 0), at: 2)
    expected.swapAt(0, 1)
    if expected.count > 3 { expected[3] = samples[0] }
    expected.remove(at: 1)
    check(Array(list) == expected, "\(Array(list))")
    for value in samples { check(list.index(of: value) == expected.firstIndex(of: value)) }
    check(list.contains(samples[0]) && list.index(matching: "self == %@", samples[0]) != nil)
    check(Array(list.filter("self == %@", samples[0])) == expected.filter { $0 == samples[0] })
    check(Array(list.where { $0 != samples[0] }) == expected.filter { $0 != samples[0] })
    check(list.distinct().count == Set(expected).count)
    try realm.write {
      list.replaceSubrange(0..<1, with: samples)
      list.removeLast()
    }
    expected.replaceSubrange(0..<1, with: samples)
    expected.removeLast()
    check(Array(list) == expected)
    try realm.write { list.removeAll() }
    check(list.isEmpty && list.first == nil)
  }

  func sets() throws {
    let realm = try file.open()
    let (one, other) = try realm.write {
      (realm.create(Box.self, value: ["id": 1]).set, realm.create(Box.self, value: ["id": 2]).set)
    }
    try realm.write {
      one.insert(objectsIn: samples + samples)
      other.insert(samples[1])
    }
    check(one.count == samples.count && Set(one) == Set(samples))
    check(samples.allSatisfy(one.contains) && other.isSubset(of: one) && one.intersects(other))
    for value in samples { check(one.index(of: value).map { one[$0] } == value) }
    try realm.write { one.subtract(other) }
    check(!one.contains(samples[1]) && one.count == samples.count - 1)
    try realm.write { one.formUnion(other) }
    check(one.count == samples.count)
    try realm.write { one.formIntersection(other) }
    check(Array(one) == [samples[1]])
    try realm.write { one.remove(samples[1]) }
    check(one.isEmpty)
  }

  func maps() throws {
    let realm = try file.open()
    let map = try realm.write { realm.create(Box.self).map }
    try realm.write {
      for (index, value) in samples.enumerated() { map["key \(index)"] = value }
    }
    check(map.count == samples.count && map.values.count == samples.count)
    check(Set(map.values) == Set(samples) && map["key 1"] == samples[1] && map["none"] == nil)
    try realm.write {
      map.updateValue(samples[0], forKey: "key 1")
      map.removeObject(for: "key 0")
      map.merge(["more": samples[1], "key 1": samples[1]], uniquingKeysWith: { old, _ in old })
    }
    check(map["key 1"] == samples[0] && map["key 0"] == nil && map["more"] == samples[1])
    check(map.where { $0 == samples[1] }.contains(samples[1]))
    check(map.contains { key, value in key == "more" && value == samples[1] })
    check(map.reduce(into: 0) { count, _ in count += 1 } == map.count)
    try realm.write { map.removeAll() }
    check(map.count == 0 && map.keys.isEmpty)
  }

  func unmanagedCollections() throws {
    let box = Box(1, samples[0])
    box.list.append(objectsIn: samples)
    box.set.insert(objectsIn: samples)
    box.map["more"] = samples[1]
    check(Array(box.list) == [samples[0]] + samples && box.list.index(of: samples[1]) == 2)
    check(box.set.count == samples.count && box.set.contains(samples[1]))
    check(box.map.count == 2 && box.map["more"] == samples[1])
    box.list.removeFirst()
    box.list.move(from: 0, to: 1)
    check(box.list[1] == samples[0])
    box.list = List()
    box.set.remove(samples[0])
    check(box.list.isEmpty && !box.set.contains(samples[0]))
  }

  func sorting() throws {
    let realm = try filled()
    let boxes = realm.objects(Box.self)
    let ids = Array(samples.indices)
    check(boxes.sorted(byKeyPath: "plain").map(\.id) == ids)
    check(boxes.sorted(byKeyPath: "maybe", ascending: false).map(\.id) == ids.reversed())
    let list = boxes[0].list
    try realm.write {
      boxes[0].maybe = nil
      list.removeAll()
      list.append(objectsIn: samples.reversed() + samples)
    }
    check(boxes.sorted(byKeyPath: "maybe").first?.id == 0)
    check(boxes.distinct(by: ["plain"]).count == samples.count)
    let sorted = Array(list.sorted(by: [SortDescriptor(keyPath: "self")]))
    check(sorted == samples.flatMap { [$0, $0] })
    check(boxes.sectioned(by: \.id, ascending: true).count == samples.count)
  }

  func aggregates() throws {
    func bounds<Bounded: KindBounded>(_: Bounded.Type) throws {
      try KindBench<Bounded>().bounds()
    }
    func sums<Number: KindAddable>(_: Number.Type) throws {
      try KindBench<Number>().sums()
    }
    if let type = Value.self as? any KindBounded.Type { try bounds(type) }
    if let type = Value.self as? any KindAddable.Type { try sums(type) }
  }
}

extension KindBench where Value: KindBounded {
  fileprivate func bounds() throws {
    let realm = try filled()
    let boxes = realm.objects(Box.self)
    check(boxes.min(ofProperty: "plain") == samples.first)
    check(boxes.max(ofProperty: "maybe") == samples.last)
    check(boxes.min(of: \.plain) == samples.first && boxes.max(of: \.plain) == samples.last)
    let list = boxes[0].list
    try realm.write { list.append(objectsIn: samples) }
    check(list.min() == samples.first && list.max() == samples.last)
    check(boxes[0].set.max() == samples[0] && boxes[0].map.min() == samples[0])
    check(boxes.filter("list.@max == %@", samples.last!).contains(boxes[0]))
    check(boxes.filter("list.@min == %@", samples.first!).contains(boxes[0]))
  }
}

extension KindBench where Value: KindAddable {
  fileprivate func sums() throws {
    let realm = try filled()
    let boxes = realm.objects(Box.self)
    let exact = samples.reduce(0.0) { $0 + $1.real }
    func isClose(_ value: Double?, _ expected: Double) -> Bool {
      abs((value ?? .nan) - expected) <= abs(expected) * 1e-6
    }
    check(isClose((boxes.sum(ofProperty: "plain") as Value).real, exact))
    check(isClose(boxes.average(ofProperty: "maybe"), exact / Double(samples.count)))
    let list = boxes[0].list
    try realm.write {
      list.removeAll()
      list.append(objectsIn: samples)
    }
    check(isClose(list.sum().real, exact))
    check(isClose(list.average(), exact / Double(samples.count)))
    check(isClose(boxes[0].map.sum().real, samples[0].real))
    check(boxes[0].value(forKeyPath: "list.@count") as? Int == samples.count)
    check(boxes.filter("list.@sum == %@", list.sum() as Value).count >= 1)
  }
}
