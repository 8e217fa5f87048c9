import Storage

/// How a map got from one version to another, by keys.
///
/// Each key is read where it was or is among the map's keys, so that this costs by what changed.
package struct MapChanges: Sendable {
  private enum Fate { case deleted, inserted, modified }

  private var fates: [StoredText: Fate] = [:]

  /// Adds what happened next.
  ///
  /// - Parameters:
  ///   - step: the changes by positions.
  ///   - old: the map's keys before them; nil if the map was not there.
  ///   - new: the map's keys after them; nil if the map is gone.
  mutating func follow(
    _ step: CollectionChanges, from old: ListView?, to new: ListView?
  ) throws(StorageError) {
    for index in step.deletions {
      let key = try Self.key(index, old)
      // What came and went meanwhile is nothing to tell.
      fates[key] = fates[key] == .inserted ? nil : .deleted
    }
    for index in step.insertions {
      let key = try Self.key(index, new)
      // A key that was taken out and put in again has another value.
      fates[key] = fates[key] == .deleted ? .modified : .inserted
    }
    for index in step.modificationsNew {
      let key = try Self.key(index, new)
      if fates[key] == nil { fates[key] = .modified }
    }
  }

  private static func key(
    _ index: Int, _ keys: ListView?
  ) throws(StorageError) -> StoredText {
    guard let keys else { preconditionFailure("A map that is not there has no changes.") }
    guard index < keys.count, case .string(let text) = try keys.value(at: index) else {
      throw keys.source.corrupt(keys.root, "a map with a key \(index) was expected")
    }
    return StoredText(text)
  }

  /// Keys that went, in order.
  package var deletions: [String] { keys(.deleted) }
  /// Keys that came, in order.
  package var insertions: [String] { keys(.inserted) }
  /// Keys that have another value, in order.
  package var modifications: [String] { keys(.modified) }

  private func keys(_ fate: Fate) -> [String] {
    fates.filter { $0.value == fate }.map(\.key).sorted().map(\.text)
  }
}
