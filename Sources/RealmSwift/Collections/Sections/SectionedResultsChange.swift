public import Foundation

/// What happened to sectioned results, or to one section.
@frozen
public enum SectionedResultsChange<Collection> {
  /// The first delivery: the sections as they are.
  case initial(Collection)
  /// The sections changed. Deletions, modifications and `sectionsToDelete` are positions in the
  /// sections before, insertions and `sectionsToInsert` in those now. Elements of a deleted section
  /// are not listed one by one.
  case update(
    Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
    sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

extension SectionedResultsChange {
  init(_ collection: Collection, _ changes: SectionChanges?) {
    guard let changes else {
      self = .initial(collection)
      return
    }
    self = .update(
      collection, deletions: changes.deletions, insertions: changes.insertions,
      modifications: changes.modifications, sectionsToInsert: changes.sectionsToInsert,
      sectionsToDelete: changes.sectionsToDelete)
  }
}

/// The older name of `SectionedResultsChange`.
public typealias RealmSectionedResultsChange = SectionedResultsChange
