import ObjectStore
import Platform

/// Results divided by a key: what sectioned results and their sections share.
///
/// The division is made when it is first needed, and again after the realm has moved on. A section
/// stands where its first element stands.
final class SectionTable<Key: _Persistable & Hashable, Element: RealmCollectionValue>:
  @unchecked Sendable
{
  // Sendable like `_ManagedCollection`: confined by checks at run time; what is frozen is divided
  // under a lock.

  let results: Results<Element>
  let key: (Element) -> Key
  private var known: SectionDivision<Key>?
  private var generation: UInt64 = 0
  private let frozenLock = LockedValue(())

  init(_ results: Results<Element>, _ key: @escaping (Element) -> Key) {
    self.results = results
    self.key = key
  }

  /// The division as the realm is now.
  var division: SectionDivision<Key> {
    guard let instance = results._queriedCollection?.instance else { return divide() }
    if instance.isFrozen {
      return frozenLock.withLock { _ in
        if known == nil { known = divide() }
        return known!
      }
    }
    instance.checkThread()
    if let known, generation == instance.readState.pointee.generation { return known }
    let division = divide()
    known = division
    generation = instance.readState.pointee.generation
    return division
  }

  private func divide() -> SectionDivision<Key> {
    SectionDivision(results.lazy.map(key))
  }
}

/// Which section each element of a sequence is in.
struct SectionDivision<Key: Hashable>: @unchecked Sendable {
  // Keys are values that a realm stores; objects, which are confined, are no keys.

  /// The sections' keys, in the order of their first elements.
  private(set) var keys: [Key] = []
  /// The positions of each section's elements.
  private(set) var rows: [[Int]] = []
  /// For each element its section, and its position there.
  private(set) var places: [(section: Int, item: Int)] = []
  private var sections: [SectionKey<Key>: Int] = [:]

  init(_ elementKeys: some Sequence<Key>) {
    for (row, key) in elementKeys.enumerated() {
      let section: Int
      if let known = sections[SectionKey(key)] {
        section = known
      } else {
        section = keys.count
        sections[SectionKey(key)] = section
        keys.append(key)
        rows.append([])
      }
      places.append((section, rows[section].count))
      rows[section].append(row)
    }
  }

  /// The section with that key, nil if there is none.
  func section(of key: Key) -> Int? { sections[SectionKey(key)] }
}

/// A key of a section. Strings are equal if their bytes are, as they are in a realm, and
/// not-a-number equals itself.
private enum SectionKey<Key: Hashable>: Hashable {
  case text(StoredText)
  case notANumber
  case other(Key)

  init(_ key: Key) {
    if Key.self == String.self || Key.self == String?.self, let text = key as? String {
      self = .text(StoredText(text))
    } else {
      self = key == key ? .other(key) : .notANumber
    }
  }
}
