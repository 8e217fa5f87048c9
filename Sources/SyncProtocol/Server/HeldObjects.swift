/// The objects that a client has whole, and what of that is not in storage yet: the set may be far
/// larger than what a commit changes of it.
///
/// Invariant: what storage has, without `removed` and with `added`, is `all`; unless `isReplaced`,
/// when storage has to take `all`.
struct HeldObjects: Sequence, Sendable, ExpressibleByArrayLiteral {
  private(set) var all: Set<ObjectID> = []
  private(set) var added: Set<ObjectID> = []
  private(set) var removed: Set<ObjectID> = []
  private(set) var isReplaced = true

  /// Objects that storage does not know yet.
  init(arrayLiteral elements: ObjectID...) { all = Set(elements) }

  /// What storage has: steps, oldest first.
  init(stored: some Sequence<ObjectID>) {
    all = Set(stored)
    isReplaced = false
  }

  var isStored: Bool { !isReplaced && added.isEmpty && removed.isEmpty }

  func contains(_ id: ObjectID) -> Bool { all.contains(id) }

  func makeIterator() -> Set<ObjectID>.Iterator { all.makeIterator() }

  mutating func insert(_ id: ObjectID) {
    guard all.insert(id).inserted, !isReplaced else { return }
    if removed.remove(id) == nil { added.insert(id) }
  }

  mutating func remove(_ id: ObjectID) {
    guard all.remove(id) != nil, !isReplaced else { return }
    if added.remove(id) == nil { removed.insert(id) }
  }

  mutating func formUnion(_ others: Set<ObjectID>) {
    for id in others { insert(id) }
  }

  mutating func subtract(_ others: Set<ObjectID>) {
    for id in others { remove(id) }
  }

  /// Storage has taken what changed.
  mutating func noteStored() {
    added = []
    removed = []
    isReplaced = false
  }
}
