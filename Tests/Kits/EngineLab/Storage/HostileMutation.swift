import Storage
import TestSupport

/// Changes of nodes that no engine would write.
public enum HostileMutation {
  /// Changes a node of any kind and seals it; says what it did.
  ///
  /// - Parameter lowest: nodes of lower kinds are left alone.
  public static func apply(
    _ file: inout HostileFile, _ random: inout SeededGenerator, lowest: UInt8 = 0
  ) -> String {
    // Kinds by turns, since most nodes are vectors.
    let kinds = Set(file.nodes.map { file.kind($0).rawValue }).filter { $0 >= lowest }.sorted()
    let kind = kinds[random.below(kinds.count)]
    let candidates = file.nodes.filter { file.kind($0).rawValue == kind }
    let place = candidates[random.below(candidates.count)]
    let what: String
    switch random.below(8) {
    case 0, 1: what = changeHeader(&file, place, &random)
    case 2, 3: what = changeWord(&file, place, &random)
    case 4: what = changeSmall(&file, place, &random)
    case 5, 6: what = changeReference(&file, place, &random)
    default: what = changeSize(&file, place, &random)
    }
    file.seal(place)
    return "kind \(kind) at \(place.offset): \(what)"
  }

  private static func special(_ old: UInt64, _ random: inout SeededGenerator) -> UInt64 {
    switch random.below(12) {
    case 0: 0
    case 1: .max
    case 2: 1 << 63
    case 3: UInt64(Int64.max)
    case 4: old &+ 1
    case 5: old &- 1
    case 6: random.next()
    case 7: UInt64(random.below(300))
    case 8: 1 << UInt64(random.below(64))
    case 9: old &<< UInt64(random.below(40))
    case 10: .max - UInt64(random.below(64))
    default: old ^ (1 << UInt64(random.below(64)))
    }
  }

  private static func changeHeader(
    _ file: inout HostileFile, _ place: HostileFile.Place, _ random: inout SeededGenerator
  ) -> String {
    func change<T: FixedWidthInteger & BitwiseCopyable>(
      _ name: String, _ offset: Int, _ type: T.Type
    ) -> String {
      let old = file.field(place.offset, offset, as: T.self)
      let new = T(truncatingIfNeeded: special(UInt64(old), &random))
      file.set(place.offset, offset, new)
      return "\(name) \(old) -> \(new)"
    }
    switch random.below(7) {
    case 0: return change("kind", NodeLayout.kind, UInt8.self)
    case 1:
      let widths: [UInt8] = [0, 1, 2, 8, 16, 32, 64, 96, 128, 255]
      let new = widths[random.below(widths.count)]
      file.set(place.offset, NodeLayout.width, new)
      return "width \(new)"
    case 2:
      let new = UInt16(
        truncatingIfNeeded: random.below(2) == 0 ? random.next() % 72 : random.next())
      file.set(place.offset, NodeLayout.flags, new)
      return "flags \(new)"
    case 3, 4: return change("count", NodeLayout.count, UInt32.self)
    case 5: return change("references", NodeLayout.referenceCount, UInt32.self)
    default: return change("createdIn", NodeLayout.createdIn, UInt64.self)
    }
  }

  private static func changeWord(
    _ file: inout HostileFile, _ place: HostileFile.Place, _ random: inout SeededGenerator
  ) -> String {
    let start = file.dataStart(place)
    let words = (file.size(place) - start) / 8
    guard words > 0 else { return changeHeader(&file, place, &random) }
    let offset = start + 8 * random.below(min(words, random.below(2) == 0 ? 4 : words))
    let old = file.word(place.offset + offset)
    let new = special(old, &random)
    file.set(place.offset, offset, new)
    return "word at \(offset) \(old) -> \(new)"
  }

  private static func changeSmall(
    _ file: inout HostileFile, _ place: HostileFile.Place, _ random: inout SeededGenerator
  ) -> String {
    let start = file.dataStart(place)
    let size = file.size(place) - start
    guard size >= 2 else { return changeHeader(&file, place, &random) }
    let offset = start + random.below(size / 2) * 2
    let old = file.field(place.offset, offset, as: UInt16.self)
    let new = UInt16(truncatingIfNeeded: special(UInt64(old), &random))
    file.set(place.offset, offset, new)
    return "half word at \(offset) \(old) -> \(new)"
  }

  /// Another node's place, so that nodes are shared or stand where another kind is expected.
  private static func changeReference(
    _ file: inout HostileFile, _ place: HostileFile.Place, _ random: inout SeededGenerator
  ) -> String {
    let count = file.referenceCount(place)
    guard count > 0 else { return changeWord(&file, place, &random) }
    let index = random.below(count)
    let slot = place.offset + NodeLayout.headerSize + index * 8
    let old = NodeReference(rawValue: file.word(slot))
    var others = file.nodes
    if random.below(4) > 0, let same = file.nodes.first(where: { $0.offset == Int(old.offset) }) {
      others = others.filter { file.kind($0) == file.kind(same) }
    }
    let new: NodeReference
    switch random.below(8) {
    case 0: new = .none
    case 1: new = NodeReference(rawValue: special(old.rawValue, &random))
    default: new = file.reference(to: others[random.below(others.count)].offset)
    }
    file.set(slot, 0, new.rawValue)
    return "reference \(index) \(old.offset) -> \(new.offset)"
  }

  private static func changeSize(
    _ file: inout HostileFile, _ place: HostileFile.Place, _ random: inout SeededGenerator
  ) -> String {
    let old = file.size(place)
    let change = 8 * (1 + random.below(4))
    let new = random.below(3) == 0 ? old + change : old - change
    guard new >= NodeLayout.headerSize, place.offset + new <= file.bytes.count else {
      return changeHeader(&file, place, &random)
    }
    file.set(place.offset, NodeLayout.byteSize, UInt32(new))
    return "size \(old) -> \(new)"
  }
}
