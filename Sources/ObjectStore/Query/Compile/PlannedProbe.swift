import Storage

/// An index that could serve a query: everything that the query holds for is among what it gives.
struct PlannedProbe: Sendable {
  let property: PropertyDescription
  let probe: IndexProbe
  /// Whether what it gives is exactly what the query holds for.
  let isExact: Bool

  /// The probes of a predicate: of the predicate itself, or of any part of a conjunction.
  static func all(in node: any PredicateNode, _ owner: ClassDescription) -> [PlannedProbe] {
    guard let conjunction = node as? ConjunctionNode else {
      return planned(node, owner, isExact: true).map { [$0] } ?? []
    }
    var probes: [PlannedProbe] = []
    for part in conjunction.parts {
      guard let probe = planned(part, owner, isExact: false) else { continue }
      let known = probes.firstIndex { $0.property.columnKey == probe.property.columnKey }
      if let known, let both = probes[known].probe.intersection(probe.probe) {
        probes[known] = PlannedProbe(property: probe.property, probe: both, isExact: false)
      } else {
        probes.append(probe)
      }
    }
    return probes
  }

  private static func planned(
    _ node: any PredicateNode, _ owner: ClassDescription, isExact: Bool
  ) -> PlannedProbe? {
    guard let probe = node.probe, let column = node.probedColumn,
      let property = owner.property(at: column),
      probe.isAnswered(by: property)
    else { return nil }
    if case .keyed(_, _, let isKeyExact) = probe {
      return PlannedProbe(property: property, probe: probe, isExact: isExact && isKeyExact)
    }
    if case .words = probe { return PlannedProbe(property: property, probe: probe, isExact: false) }
    if case .range = probe, !property.hasOrderedIndex { return nil }
    return PlannedProbe(property: property, probe: probe, isExact: isExact)
  }

  /// How many objects it gives, if that is known without fetching them.
  func count(_ index: ColumnIndex) throws(StorageError) -> Int? {
    switch probe {
    case .range(let range):
      return try index.count(from: range.lowerBound, through: range.upperBound)
    case .values(let values):
      guard index.isOrdered || values == [.null] else { return nil }
      var sum = 0
      for value in values { sum += try index.count(equal: value) }
      return sum
    case .keyed(_, _, let isExact): return isExact ? try named(index) : nil
    case .words: return nil
    }
  }

  /// How many objects have their keys where the probe looks.
  private func named(_ index: ColumnIndex) throws(StorageError) -> Int {
    guard case .keyed(let ranges, let orNull, _) = probe else { return 0 }
    var sum = orNull ? try index.nullCount : 0
    for range in ranges {
      sum += try index.count(from: range.lowerBound, through: range.upperBound)
    }
    return sum
  }

  /// How many objects it may well give.
  func estimate(_ index: ColumnIndex) throws(StorageError) -> Int {
    if let count = try count(index) { return count }
    switch probe {
    case .values(let values): return values.count
    case .range: return 0
    case .keyed: return try named(index)
    case .words(let ranges):
      var least = Int.max
      for range in ranges {
        least = min(least, try index.count(from: range.lowerBound, through: range.upperBound))
      }
      return least
    }
  }

  /// The first `limit` objects that it gives, in the order of their keys.
  func keys(_ index: ColumnIndex, limit: Int) throws(StorageError) -> [ObjectKey] {
    switch probe {
    case .range(let range):
      if range.lowerBound == range.upperBound {
        return try index.keys(from: range.lowerBound, through: range.upperBound, limit: limit)
      }
      return try index.keys(from: range.lowerBound, through: range.upperBound).sorted()
    case .values(let values):
      if values.count == 1 { return try index.keys(equal: values[0], limit: limit) }
      var keys: [ObjectKey] = []
      for value in values { keys.append(contentsOf: try index.keys(equal: value)) }
      return keys.sorted()
    case .keyed(let ranges, let orNull, _):
      if !orNull, ranges.count == 1, ranges[0].lowerBound == ranges[0].upperBound {
        let key = ranges[0].lowerBound
        return try index.keys(from: key, through: key, limit: limit)
      }
      var keys = orNull ? try index.keys(equal: .null) : []
      for range in ranges {
        keys.append(contentsOf: try index.keys(from: range.lowerBound, through: range.upperBound))
      }
      return keys.sorted()
    case .words(let ranges):
      var found: Set<ObjectKey>?
      for range in ranges {
        let keys = try index.keys(from: range.lowerBound, through: range.upperBound)
        found = found?.intersection(keys) ?? Set(keys)
      }
      return (found ?? []).sorted()
    }
  }
}

extension PropertyDescription {
  /// Whether an index of it keeps the order of the values rather than that of hashes.
  var hasOrderedIndex: Bool { kind == .int || kind == .bool || kind == .date }
}

extension IndexProbe {
  /// Whether the property has an index that is kept in the way that the question is about.
  func isAnswered(by property: PropertyDescription) -> Bool {
    switch self {
    case .words: property.isFullText
    case .keyed: property.isIndexed && property.kind == .any
    case .values([.null]): property.isIndexed || property.isPrimaryKey
    case .values, .range: (property.isIndexed || property.isPrimaryKey) && property.kind != .any
    }
  }
}
