import Foundation
import ObjectStore

/// How one division of results differs from the one before.
struct SectionChanges {
  /// Positions in the division before, without those in sections that are gone.
  private(set) var deletions: [IndexPath] = []
  /// Positions in the division now.
  private(set) var insertions: [IndexPath] = []
  /// Positions in the division before.
  private(set) var modifications: [IndexPath] = []
  /// Sections of the division now.
  private(set) var sectionsToInsert = IndexSet()
  /// Sections of the division before.
  private(set) var sectionsToDelete = IndexSet()

  var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && sectionsToInsert.isEmpty
      && sectionsToDelete.isEmpty
  }

  /// - Parameter changes: of the elements without regard to sections. Deletions and modifications
  ///   are positions before, insertions positions now.
  init<Key>(
    from old: SectionDivision<Key>, to new: SectionDivision<Key>, changes: CollectionChanges
  ) {
    compareSections(old, new)
    for row in changes.deletions { delete(old.places[row]) }
    for row in changes.insertions { insert(new.places[row]) }
    let (deleted, inserted) = (Set(changes.deletions), Set(changes.insertions))
    let modified = Set(changes.modificationsOld)
    var oldRow = 0
    for newRow in new.places.indices where !inserted.contains(newRow) {
      while deleted.contains(oldRow) { oldRow += 1 }
      guard oldRow < old.places.count else { break }
      defer { oldRow += 1 }
      let (before, now) = (old.places[oldRow], new.places[newRow])
      let isMoved =
        old.keys[before.section] != new.keys[now.section]
        || sectionsToInsert.contains(now.section)
      if isMoved {
        delete(before)
        insert(now)
      } else if modified.contains(oldRow) {
        modifications.append(IndexPath(item: before.item, section: before.section))
      }
    }
    deletions.sort()
    insertions.sort()
    modifications.sort()
  }

  /// Sections that have changed places among those that stay are deleted and inserted, and so are
  /// their elements.
  private mutating func compareSections<Key>(
    _ old: SectionDivision<Key>, _ new: SectionDivision<Key>
  ) {
    let places = old.keys.map { new.section(of: $0) ?? -1 }
    let stays = LongestIncreasingSubsequence.members(places)
    for section in old.keys.indices where !stays[section] { sectionsToDelete.insert(section) }
    let kept = Set(zip(places, stays).filter(\.1).map(\.0))
    for section in new.keys.indices where !kept.contains(section) {
      sectionsToInsert.insert(section)
    }
  }

  private mutating func delete(_ place: (section: Int, item: Int)) {
    // Whoever shows the sections removes a section's elements with it.
    guard !sectionsToDelete.contains(place.section) else { return }
    deletions.append(IndexPath(item: place.item, section: place.section))
  }

  private mutating func insert(_ place: (section: Int, item: Int)) {
    insertions.append(IndexPath(item: place.item, section: place.section))
  }

  /// What concerns one section, which had and has these positions; nil where it was or is not
  /// there.
  func limited(to before: Int?, _ now: Int?) -> SectionChanges {
    var changes = self
    changes.deletions.removeAll { $0.section != before }
    changes.modifications.removeAll { $0.section != before }
    changes.insertions.removeAll { $0.section != now }
    changes.sectionsToDelete = IndexSet(sectionsToDelete.filter { $0 == before })
    changes.sectionsToInsert = IndexSet(sectionsToInsert.filter { $0 == now })
    return changes
  }
}
