import RealmSwift
import TestSupport

// Lists and dictionaries among values of any kind.
extension HistoryWriter {
  func changeNested(_ owner: HistoryNode, _ random: inout SeededGenerator) {
    owner.listStamp += 1
    switch Int.random(in: 0..<8, using: &random) {
    case 0: owner.content = .none
    case 1: owner.content = .fromDictionary(["age": .int(Int.random(in: 0..<60, using: &random))])
    case 2:
      owner.content.dictionaryValue?["age"] = .int(Int.random(in: 0..<60, using: &random))
    case 3, 4: changeInside(owner.mixed, anyone(&random), &random)
    default: changeMixed(owner.mixed, &random)
    }
  }

  private func changeMixed(_ list: List<AnyRealmValue>, _ random: inout SeededGenerator) {
    if rearrange(list, &random) { return }
    let value = newValue(&random)
    let isReplacement = !list.isEmpty && Bool.random(using: &random)
    if isReplacement {
      list[Int.random(in: 0..<list.count, using: &random)] = value
    } else {
      list.insert(value, at: Int.random(in: 0...list.count, using: &random))
    }
  }

  private func newValue(_ random: inout SeededGenerator) -> AnyRealmValue {
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1, 2: return .int(-1 - Int.random(in: 0..<9, using: &random))
    case 3, 4, 5: if let node = anyone(&random) { return .object(node) }
    default: break
    }
    let clock = realm.objects(HistoryClock.self)[0]
    clock.serial += 1
    let first: [AnyRealmValue] = anyone(&random).map { [.object($0)] } ?? [.int(7)]
    return .fromArray([.int(clock.serial), .int(0), .fromArray(first)])
  }

  /// Changes one of the lists in a list, or the list in it, and counts that up.
  private func changeInside(
    _ list: List<AnyRealmValue>, _ node: HistoryNode?, _ random: inout SeededGenerator
  ) {
    guard let inner = list.compactMap(\.listValue).randomElement(using: &random) else { return }
    inner[1] = .int(inner[1].intValue! + 1)
    if Bool.random(using: &random) { inner[2].listValue!.append(inner[1]) }
    if inner.count < 9, Bool.random(using: &random) { inner.append(.string("more")) }
    if let node, inner.count < 9, Bool.random(using: &random) { inner.append(.object(node)) }
  }

  /// Changes where a node may be as a value of any kind.
  func changeLoose(
    _ owner: HistoryNode, _ node: HistoryNode?, _ random: inout SeededGenerator
  ) {
    owner.listStamp += 1
    let value: AnyRealmValue =
      node.map { .object($0) } ?? .int(-1 - Int.random(in: 0..<9, using: &random))
    let key = "\(Int.random(in: 0..<6, using: &random))"
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: owner.anything = node == nil ? .none : value
    case 2: owner.anything = .fromArray([.int(1), .fromDictionary([key: value]), value])
    case 3: owner.anything = .fromDictionary([key: .fromArray([value])])
    case 4: owner.anything.dictionaryValue?[key] = value
    case 5, 6: owner.mixedSet.insert(value)
    case 7:
      if let first = owner.mixedSet.randomElement(using: &random) { owner.mixedSet.remove(first) }
    case 8: owner.mixedMap.removeObject(for: key)
    default: owner.mixedMap[key] = Bool.random(using: &random) ? value : newValue(&random)
    }
  }
}
