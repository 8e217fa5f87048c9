/// How to get from one order of elements to another, with as few moves as there can be.
enum ListDifference {
  enum Step: Equatable {
    case remove(Int)
    case insert(ElementID, Int)
    case move(from: Int, to: Int)
  }

  static func steps(from old: [ElementID], to new: [ElementID]) -> [Step] {
    guard old != new else { return [] }
    let staying = Set(new)
    var steps: [Step] = []
    for index in old.indices.reversed() where !staying.contains(old[index]) {
      steps.append(.remove(index))
    }
    var working = old.filter(staying.contains)
    let present = Set(working)
    let kept = longestRise(of: working, in: new)
    for (index, element) in new.enumerated() {
      // What stands here and has to move makes room, if what comes here stays where it is.
      while index < working.count, working[index] != element, kept.contains(element) {
        steps.append(.move(from: index, to: working.count - 1))
        working.append(working.remove(at: index))
      }
      if index < working.count, working[index] == element { continue }
      if present.contains(element), let from = working[index...].firstIndex(of: element) {
        steps.append(.move(from: from, to: index))
        working.insert(working.remove(at: from), at: index)
      } else {
        steps.append(.insert(element, index))
        working.insert(element, at: index)
      }
    }
    return steps
  }

  /// The elements of a longest part of the old order that is in the same order in the new one.
  private static func longestRise(of old: [ElementID], in new: [ElementID]) -> Set<ElementID> {
    var places: [ElementID: Int] = [:]
    for (place, element) in new.enumerated() { places[element] = place }
    let numbers = old.map { places[$0]! }
    /// For each length the place of the smallest number that such a sequence ends with.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      let length = ends.indices.partitionPoint { numbers[ends[$0]] < number }
      if length > 0 { before[place] = ends[length - 1] }
      if length == ends.count { ends.append(place) } else { ends[length] = place }
    }
    var kept: Set<ElementID> = []
    var place = ends.last ?? -1
    while place >= 0 {
      kept.insert(old[place])
      place = before[place]
    }
    return kept
  }
}
