import SyncProtocol
import TestSupport
import Testing

@testable import SyncStore

@Suite("elements of a list that lead to what is not there") struct HiddenItemsTests {
  private typealias Item = HiddenItems.Item

  private func target(_ number: Int) -> ObjectID {
    ObjectID(type: NameID(1), key: .int(Int64(number)))
  }

  private func text(_ items: [Item]) -> [String] {
    items.map { "\($0.index) \($0.isMissing) \($0.target)" }
  }

  /// A list in the plainest way: what leads to something that is there is nil.
  private struct Model {
    var elements: [Item?] = []

    var items: [Item] {
      elements.indices.compactMap { index in
        guard var item = elements[index] else { return nil }
        item.index = index
        return item
      }
    }

    func missing(before index: Int) -> Int {
      elements.prefix(index).count { $0?.isMissing == true }
    }

    /// The places of the program's list, and the one at its end.
    var shown: [Int] {
      elements.indices.filter { elements[$0]?.isMissing != true } + [elements.count]
    }
  }

  private func compare(_ items: HiddenItems, _ model: Model) {
    #expect(text(items.items) == text(model.items))
    #expect(items.count == model.items.count && items.isEmpty == model.items.isEmpty)
    #expect(items.missingCount == model.items.count { $0.isMissing })
    for index in 0...model.elements.count {
      #expect(items.missing(before: index) == model.missing(before: index))
    }
    for index in model.elements.indices {
      #expect(items.item(at: index)?.target == model.elements[index]?.target)
    }
    for (place, index) in model.shown.enumerated() { #expect(items.shown(place) == index) }
  }

  @Test("are where a plain list has them, whatever is done to it")
  func model() {
    for seed in UInt64(1)...30 {
      var random = SeededGenerator(seed: seed)
      var model = Model()
      var items = HiddenItems()
      for step in 0..<120 {
        let count = model.elements.count
        let index = random.below(count + 1)
        switch random.below(10) {
        case 0...4, 6:
          items.shift(from: index, by: 1)
          model.elements.insert(nil, at: index)
          if random.below(4) == 0 { break }
          let item = Item(
            index: index, isMissing: random.below(3) > 0, target: target(step))
          items.insert(item)
          model.elements[index] = item
        case 5 where index < count:
          let old = items.take(at: index)
          #expect(old?.target == model.elements[index]?.target)
          items.shift(from: index, by: -1)
          model.elements.remove(at: index)
        case 7 where index < count:
          let old = items.take(at: index)
          #expect(old?.isMissing == model.elements[index]?.isMissing)
          model.elements[index] = nil
        case 8 where index < count && model.elements[index] != nil:
          let item = Item(index: index, isMissing: step % 2 == 0, target: target(step))
          items.insert(item)
          model.elements[index] = item
        case 9: items = HiddenItems(items.items)
        default: break
        }
        if step % 10 == 9 { compare(items, model) }
      }
      compare(items, model)
    }
  }

  @Test("stand in a tree that is not much higher than it has to be, in whatever order they came")
  func height() {
    var items = HiddenItems()
    for index in 0..<5000 {
      items.insert(Item(index: index, isMissing: true, target: target(index)))
    }
    #expect(items.height <= 45)
    for index in 0..<5000 {
      items.shift(from: 0, by: 1)
      items.insert(Item(index: 0, isMissing: true, target: target(index)))
    }
    #expect(items.height <= 45)
    var built = HiddenItems(items.items)
    #expect(built.height == 14)
    for index in 0..<5000 {
      built.shift(from: index, by: 1)
      built.insert(Item(index: index, isMissing: false, target: target(index)))
    }
    #expect(built.height <= 45 && built.count == 15_000 && built.missingCount == 10_000)
  }
}
