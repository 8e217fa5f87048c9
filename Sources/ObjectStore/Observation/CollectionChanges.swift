/// How a collection got from one version to another.
///
/// Take the deletions out of the old collection, then put the insertions into what is left, each
/// where it stands in the new one: that is the new collection. What was modified stayed where it
/// was among the others; what moved is both deleted and inserted. All indices rise.
public struct CollectionChanges: Equatable, Sendable {
  /// Indices in the old collection.
  public var deletions: [Int] = []
  /// Indices in the new collection.
  public var insertions: [Int] = []
  /// What was modified, by indices in the old collection.
  public var modificationsOld: [Int] = []
  /// The same elements in the same order, by indices in the new collection.
  public var modificationsNew: [Int] = []

  public init() {}

  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modificationsOld.isEmpty
  }

  mutating func modify(old: Int, new: Int) {
    modificationsOld.append(old)
    modificationsNew.append(new)
  }
}
