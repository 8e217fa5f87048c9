import EngineLab
import Foundation
import RealmSwift
import TestSupport

/// Makes random commits.
public struct HistoryWriter {
  private static let idsMax = 24

  let realm: Realm

  init(_ realm: Realm) { self.realm = realm }

  /// What a writer in another process does: one commit for each seed that it is told.
  public static func serve(_ path: String) throws {
    let writer = HistoryWriter(try Realm(configuration: HistoryFile.configuration(path)))
    while let line = readLine() {
      try writer.commit(seed: UInt64(line)!)
      print("done")
      fflush(nil)
    }
  }

  /// Makes the objects that are always there.
  func prepare() throws {
    try realm.write {
      realm.create(HistoryNode.self, value: ["id": HistoryFile.hub])
      realm.create(HistoryClock.self)
    }
  }

  func commit(seed: UInt64, withoutNotifying tokens: [NotificationToken] = []) throws {
    var random = SeededGenerator(seed: seed)
    try realm.write(withoutNotifying: tokens) {
      // Now and then so much that there is more to read than to compare.
      let many = Int.random(in: 0..<40, using: &random) == 0
      for _ in 0..<Int.random(in: many ? 40...120 : 1...6, using: &random) { change(&random) }
      realm.objects(HistoryClock.self)[0].commits += 1
    }
  }

  func anyone(_ random: inout SeededGenerator) -> HistoryNode? {
    realm.object(
      ofType: HistoryNode.self, forPrimaryKey: Int.random(in: 0..<Self.idsMax, using: &random))
  }

  private func owner(_ random: inout SeededGenerator) -> HistoryNode {
    let hub = realm.object(ofType: HistoryNode.self, forPrimaryKey: HistoryFile.hub)!
    if Bool.random(using: &random) { return hub }
    return anyone(&random) ?? hub
  }

  private func change(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<26, using: &random) {
    case 0, 1: create(&random)
    case 2: if let node = anyone(&random) { realm.delete(node) }
    case 3, 4, 5: setAge(&random)
    case 6:
      guard let node = anyone(&random) else { return }
      node.name = ["a", "b", "c"].randomElement(using: &random)!
      node.nameStamp += 1
    case 7, 8:
      let node = owner(&random)
      node.favourite = anyone(&random)
      node.favouriteStamp += 1
    case 9, 10: changeList(owner(&random), \.friends, canReplace: false, &random)
    case 11, 12: changeList(owner(&random), \.pals, canReplace: true, &random)
    case 13: changeSets(owner(&random), &random)
    case 14: changeMaps(owner(&random), &random)
    case 15, 16, 17: changeParts(owner(&random), &random)
    case 18, 19, 20: changeNested(owner(&random), &random)
    case 21, 22, 23: changeLoose(owner(&random), anyone(&random), &random)
    default: changeNumbers(owner(&random), &random)
    }
  }

  private func create(_ random: inout SeededGenerator) {
    let id = Int.random(in: 0..<Self.idsMax, using: &random)
    if realm.object(ofType: HistoryNode.self, forPrimaryKey: id) != nil { return }
    let clock = realm.objects(HistoryClock.self)[0]
    clock.serial += 1
    let age = Int.random(in: 0..<60, using: &random)
    realm.create(
      HistoryNode.self, value: ["id": id, "serial": clock.serial, "age": age, "name": "n"])
  }

  private func setAge(_ random: inout SeededGenerator) {
    guard let node = anyone(&random) else { return }
    let isSame = Int.random(in: 0..<5, using: &random) == 0
    node.age = isSame ? node.age : Int.random(in: 0..<60, using: &random)
    node.ageStamp += 1
  }

  private func changeList(
    _ owner: HistoryNode, _ path: KeyPath<HistoryNode, List<HistoryNode>>, canReplace: Bool,
    _ random: inout SeededGenerator
  ) {
    guard let node = anyone(&random) else { return }
    let list = owner[keyPath: path]
    owner.listStamp += 1
    if rearrange(list, &random) { return }
    if !canReplace || list.isEmpty {
      return list.insert(node, at: Int.random(in: 0...list.count, using: &random))
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: list.insert(node, at: Int.random(in: 0...list.count, using: &random))
    case 1: list[Int.random(in: 0..<list.count, using: &random)] = node
    case 2: list.append(objectsIn: [node, node])
    default: list.swapAt(0, list.count - 1)
    }
  }

  private func changeNumbers(_ owner: HistoryNode, _ random: inout SeededGenerator) {
    let list = owner.numbers
    owner.listStamp += 1
    if rearrange(list, &random) { return }
    let number = Int.random(in: 0..<9, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where !list.isEmpty: list[Int.random(in: 0..<list.count, using: &random)] = number
    case 1: list.append(objectsIn: [number, number + 1, number])
    case 2 where list.count > 1: list.swapAt(0, list.count - 1)
    default: list.insert(number, at: Int.random(in: 0...list.count, using: &random))
    }
  }

  private func changeSets(_ owner: HistoryNode, _ random: inout SeededGenerator) {
    owner.listStamp += 1
    let number = Int.random(in: 0..<9, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: owner.numberSet.remove(number)
    case 1: owner.numberSet.insert(objectsIn: [number, number + 3, number + 5])
    case 2: owner.numberSet.insert(number)
    case 3: if let node = owner.friendSet.first { owner.friendSet.remove(node) }
    default: if let node = anyone(&random) { owner.friendSet.insert(node) }
    }
  }

  private func changeMaps(_ owner: HistoryNode, _ random: inout SeededGenerator) {
    owner.listStamp += 1
    let key = "\(Int.random(in: 0..<6, using: &random))"
    switch Int.random(in: 0..<8, using: &random) {
    case 0: owner.counts.removeObject(for: key)
    case 1 where Int.random(in: 0..<4, using: &random) == 0: owner.counts.removeAll()
    case 1, 2, 3: owner.counts[key] = Int.random(in: 0..<9, using: &random)
    case 4: owner.named.removeObject(for: key)
    case 5: owner.named.updateValue(nil, forKey: key)
    default: owner.named.updateValue(anyone(&random), forKey: key)
    }
  }

  private func newPart(_ random: inout SeededGenerator) -> HistoryPart {
    let clock = realm.objects(HistoryClock.self)[0]
    clock.serial += 1
    let part = HistoryPart()
    part.serial = clock.serial
    part.age = Int.random(in: 0..<60, using: &random)
    return part
  }

  private func changeParts(_ owner: HistoryNode, _ random: inout SeededGenerator) {
    let part = owner.parts.randomElement(using: &random) ?? owner.part
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1:
      owner.listStamp += 1
      owner.part = Int.random(in: 0..<3, using: &random) == 0 ? nil : newPart(&random)
    case 2, 3, 4:
      owner.listStamp += 1
      if rearrange(owner.parts, &random) { return }
      let made = newPart(&random)
      if !owner.parts.isEmpty, Bool.random(using: &random) {
        owner.parts[0] = made
      } else {
        owner.parts.insert(made, at: Int.random(in: 0...owner.parts.count, using: &random))
      }
    case 5, 6:
      guard let part else { return }
      part.age = Int.random(in: 0..<60, using: &random)
      part.ageStamp += 1
    case 7:
      guard let part else { return }
      part.listStamp += 1
      part.parts.append(newPart(&random))
    case 8:
      guard let part else { return }
      part.listStamp += 1
      if Bool.random(using: &random) {
        part.friend = anyone(&random)
      } else {
        part.anything = anyone(&random).map { .object($0) } ?? .none
      }
    default: if let part { realm.delete(part) }
    }
  }

  /// Takes something out or moves it; false if it did not.
  func rearrange<Element: RealmCollectionValue>(
    _ list: List<Element>, _ random: inout SeededGenerator
  ) -> Bool {
    if list.isEmpty { return false }
    let place = Int.random(in: 0..<list.count, using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<5: list.remove(at: place)
    case 5..<8: list.move(from: place, to: Int.random(in: 0..<list.count, using: &random))
    case 8: list.removeAll()
    case 9: list.removeSubrange(place..<list.count)
    default: return false
    }
    return true
  }
}
