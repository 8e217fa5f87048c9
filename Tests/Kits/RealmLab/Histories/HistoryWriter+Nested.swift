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
    case 3, 4: changeInside(owner.mixed, &random)
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
    if Int.random(in: 0..<3, using: &random) == 0 {
      return .int(-1 - Int.random(in: 0..<9, using: &random))
    }
    let clock = realm.objects(HistoryClock.self)[0]
    clock.serial += 1
    return .fromArray([.int(clock.serial), .int(0), .fromArray([.int(7)])])
  }

  /// Changes one of the lists in a list, or the list in it, and counts that up.
  private func changeInside(_ list: List<AnyRealmValue>, _ random: inout SeededGenerator) {
    guard let inner = list.compactMap(\.listValue).randomElement(using: &random) else { return }
    inner[1] = .int(inner[1].intValue! + 1)
    if Bool.random(using: &random) { inner[2].listValue!.append(inner[1]) }
    if inner.count < 9, Bool.random(using: &random) { inner.append(.string("more")) }
  }
}
