import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite struct ManagedListTests {
  let file = TemporaryRealm()

  @Test(arguments: 0..<20)
  func changesMatchAnArray(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let realm = try file.open()
    let object = Everything()
    try realm.write { realm.add(object) }
    let list = object.ints
    var model: [Int] = []
    for round in 0..<10 {
      realm.beginWrite()
      let before = model
      for _ in 0..<20 { change(list, &model, &generator) }
      if Bool.random(using: &generator) {
        try realm.commitWrite()
      } else {
        realm.cancelWrite()
        model = before
      }
      #expect(Array(list) == model, "seed \(seed), round \(round)")
      #expect(list.count == model.count)
    }
  }

  private func change(
    _ list: List<Int>, _ model: inout [Int], _ generator: inout SeededGenerator
  ) {
    let value = Int.random(in: -1_000...1_000, using: &generator)
    let index = Int.random(in: 0..<max(1, model.count), using: &generator)
    let other = Int.random(in: 0..<max(1, model.count), using: &generator)
    switch model.isEmpty ? 0 : Int.random(in: 0..<9, using: &generator) {
    case 0, 1:
      list.append(value)
      model.append(value)
    case 2:
      list.insert(value, at: index)
      model.insert(value, at: index)
    case 3:
      list.remove(at: index)
      model.remove(at: index)
    case 4:
      list[index] = value
      model[index] = value
    case 5:
      list.move(from: index, to: other)
      model.insert(model.remove(at: index), at: other)
    case 6:
      list.swapAt(index, other)
      model.swapAt(index, other)
    case 7:
      list.append(objectsIn: [value, value + 1])
      model.append(contentsOf: [value, value + 1])
    default:
      list.removeSubrange(0..<index)
      model.removeSubrange(0..<index)
    }
  }

  @Test func aListMayHoldAnObjectTwice() throws {
    let realm = try file.open()
    let keeper = Keeper(value: ["id": 1])
    let animal = Animal("Rex")
    try realm.write {
      realm.add(keeper)
      keeper.animals.append(objectsIn: [animal, animal])
    }
    #expect(keeper.animals.count == 2)
    #expect(realm.objects(Animal.self).count == 1)
    #expect(keeper.animals.index(of: animal) == 0)
    #expect(animal.keepers.count == 2)
    try realm.write { realm.delete(keeper.animals) }
    #expect(keeper.animals.isEmpty)
    #expect(realm.objects(Animal.self).isEmpty)
  }

  @Test func aListOfADeletedObjectIsInvalid() throws {
    let realm = try file.open()
    let keeper = Keeper(value: ["id": 1, "animals": [["name": "Rex"]]])
    try realm.write { realm.add(keeper) }
    let list = keeper.animals
    try realm.write { realm.delete(keeper) }
    #expect(list.isInvalidated)
  }

  @Test func aLoopMayChangeTheListThatItGoesThrough() throws {
    let realm = try file.open()
    let keeper = Keeper(value: ["id": 1, "animals": [["name": "a"], ["name": "b"], ["name": "c"]]])
    try realm.write {
      realm.add(keeper)
      for animal in keeper.animals { realm.delete(animal) }
    }
    #expect(keeper.animals.isEmpty)
  }
}
