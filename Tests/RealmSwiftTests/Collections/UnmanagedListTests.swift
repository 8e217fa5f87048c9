import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite struct UnmanagedListTests {
  private func list(_ values: Int...) -> List<Int> {
    let list = List<Int>()
    list.append(objectsIn: values)
    return list
  }

  @Test func elementsAreAddedAndInserted() {
    let list = list(1, 2)
    list.append(3)
    list.insert(0, at: 0)
    list.insert(contentsOf: [8, 9], at: 2)
    #expect(Array(list) == [0, 1, 8, 9, 2, 3])
    #expect(list.first == 0 && list.last == 3 && list.count == 6)
    list.append(objectsIn: list)
    #expect(list.count == 12)
  }

  @Test func elementsAreRemoved() {
    let list = list(0, 1, 2, 3, 4, 5, 6, 7)
    list.remove(at: 1)
    list.removeFirst()
    list.removeLast(2)
    #expect(Array(list) == [2, 3, 4, 5])
    list.remove(atOffsets: IndexSet([0, 2]))
    #expect(Array(list) == [3, 5])
    list.removeSubrange(0..<1)
    #expect(Array(list) == [5])
    list.removeAll()
    #expect(list.isEmpty)
  }

  @Test func elementsAreReplacedAndSwapped() {
    let list = list(0, 1, 2, 3)
    list[1] = 9
    list.replace(index: 0, object: 7)
    list.swapAt(2, 3)
    #expect(Array(list) == [7, 9, 3, 2])
    list.replaceSubrange(1...2, with: [4, 5, 6])
    #expect(Array(list) == [7, 4, 5, 6, 2])
  }

  @Test func elementsAreMoved() {
    let list = list(0, 1, 2, 3, 4)
    list.move(from: 0, to: 3)
    #expect(Array(list) == [1, 2, 3, 0, 4])
    list.move(from: 3, to: 0)
    #expect(Array(list) == [0, 1, 2, 3, 4])
  }

  @Test(arguments: 0..<200)
  func movingOffsetsMatchesTheStandardLibrary(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let count = Int.random(in: 1...8, using: &generator)
    let offsets = IndexSet((0..<count).filter { _ in Bool.random(using: &generator) })
    let destination = Int.random(in: 0...count, using: &generator)
    let moved = offsets.map { $0 }
    let before = (0..<destination).filter { !offsets.contains($0) }
    let after = (destination..<count).filter { !offsets.contains($0) }
    let list = List<Int>()
    list.append(objectsIn: 0..<count)
    list.move(fromOffsets: offsets, toOffset: destination)
    #expect(Array(list) == before + moved + after, "seed \(seed)")
  }

  @Test func positionsAreFound() {
    let list = list(5, 6, 7, 6)
    #expect(list.index(of: 6) == 1)
    #expect(list.index(of: 1) == nil)
    #expect(list.objects(at: IndexSet([0, 2])) == [5, 7])
  }

  @Test func slicesAndLazyAlgorithmsWork() {
    let list = list(1, 2, 3, 4)
    #expect(list[1..<3].map { $0 } == [2, 3])
    #expect(Array(list.map { $0 * 2 }) == [2, 4, 6, 8])
    #expect(list.reversed().first == 4)
  }

  @Test func outOfRangeIsAMisuse() async {
    await #expect(processExitsWith: .failure) { _ = List<Int>()[0] }
    await #expect(processExitsWith: .failure) { List<Int>().insert(1, at: 1) }
    await #expect(processExitsWith: .failure) { List<Int>().removeLast() }
  }
}
