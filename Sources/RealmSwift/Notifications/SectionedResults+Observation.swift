public import Dispatch
import ObjectStore

/// Compares the sections each time that the results change.
private final class SectionObservation<Key: _Persistable & Hashable, Element: RealmCollectionValue>
{
  typealias Sections = SectionedResults<Key, Element>

  private let key: (Element) -> Key
  private let handler: (Sections, SectionComparison<Key>) -> Void
  private var division: SectionDivision<Key>?

  init(
    _ key: @escaping (Element) -> Key,
    _ handler: @escaping (Sections, SectionComparison<Key>) -> Void
  ) {
    self.key = key
    self.handler = handler
  }

  func receive(_ results: Results<Element>, _ event: CollectionObserver.Event) {
    switch event {
    case .initial: deliver(results, nil)
    case .update(let changes, _): deliver(results, changes)
    case .suppressed: division = Sections(results, key).table.division
    }
  }

  private func deliver(_ results: Results<Element>, _ changes: CollectionChanges?) {
    let sections = Sections(results, key)
    let (before, now) = (division, sections.table.division)
    division = now
    let difference =
      if let changes, let before {
        SectionChanges(from: before, to: now, changes: changes)
      } else {
        SectionChanges?.none
      }
    if let difference, difference.isEmpty { return }
    handler(sections, SectionComparison(before: before, now: now, changes: difference))
  }
}

/// What an observer of sections is called with: `changes` is nil the first time.
struct SectionComparison<Key: Hashable> {
  var before: SectionDivision<Key>?
  var now: SectionDivision<Key>
  var changes: SectionChanges?

  /// Of one section; nil if nothing in it has changed.
  func limited(to key: Key) -> SectionComparison? {
    guard let changes else { return self }
    var limited = self
    let part = changes.limited(to: before?.section(of: key), now.section(of: key))
    limited.changes = part
    return part.isEmpty ? nil : limited
  }
}

extension SectionedResults {
  /// Calls the block with the sections as they are, then after each change, until the token is
  /// dropped.
  ///
  /// - Parameters:
  ///   - keyPaths: What counts as a modification of an element; nil for what is stored in it and,
  ///     through links, near it.
  ///   - queue: A serial queue to be called on, with sections that are confined to it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    let observation = SectionObservation(table.key) { sections, comparison in
      block(SectionedResultsChange(sections, comparison.changes))
    }
    return table.results.observeEvents(keyPaths: keyPaths, on: queue, observation.receive)
  }

  /// Calls the block on the actor with the sections as they are, then after each change, until the
  /// token is dropped. The sections that the block is given are confined to the actor.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, SectionedResultsChange<Self>) -> Void
  ) async -> NotificationToken {
    let key = KeyFunction(table.key)
    return await ActorObservation.start(table.results, on: actor, _isolation: _isolation) {
      actor, results in
      SectionedResults(results, key.call).observe(keyPaths: keyPaths) { block(actor, $0) }
    }
  }
}

extension SectionedResults where SectionElement: ObjectBase {
  /// Calls the block with the sections as they are, then after each change in which the key paths'
  /// properties count as modifications.
  public func observe(
    keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// The same on an actor.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<SectionElement>], on actor: A,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, SectionedResultsChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
  }
}

extension ResultsSection {
  /// Calls the block with the section as it is, then after each change of it, until the token is
  /// dropped. When its last element has gone the section counts as deleted, when one comes as
  /// inserted.
  ///
  /// - Parameters:
  ///   - keyPaths: What counts as a modification of an element; nil for what is stored in it and,
  ///     through links, near it.
  ///   - queue: A serial queue to be called on, with a section that is confined to it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    let observation = SectionObservation(table.key) { [key] sections, comparison in
      guard let comparison = comparison.limited(to: key) else { return }
      block(SectionedResultsChange(ResultsSection(sections.table, key), comparison.changes))
    }
    return table.results.observeEvents(keyPaths: keyPaths, on: queue, observation.receive)
  }

  /// Calls the block on the actor with the section as it is, then after each change of it, until
  /// the token is dropped. The section that the block is given is confined to the actor.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, SectionedResultsChange<Self>) -> Void
  ) async -> NotificationToken {
    let function = KeyFunction(table.key, section: key)
    return await ActorObservation.start(table.results, on: actor, _isolation: _isolation) {
      actor, results in
      ResultsSection(SectionTable(results, function.call), function.section!)
        .observe(keyPaths: keyPaths) { block(actor, $0) }
    }
  }
}

extension ResultsSection where T: ObjectBase {
  /// Calls the block with the section as it is, then after each change in which the key paths'
  /// properties count as modifications.
  public func observe(
    keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// The same on an actor.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated A, SectionedResultsChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
  }
}

/// A section's key function, and the key of one section, on their way to an actor.
private struct KeyFunction<Key: _Persistable, Element>: @unchecked Sendable {
  // The API does not require the function to be Sendable: who observes on an actor answers for what
  // it captures, since it is called there as well as where the sections were made. A key is a value
  // that a realm stores; objects, which are confined, are no keys.
  let call: (Element) -> Key
  let section: Key?

  init(_ call: @escaping (Element) -> Key, section: Key? = nil) {
    self.call = call
    self.section = section
  }
}
