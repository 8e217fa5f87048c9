import Foundation
import ObjectStore

// Conditions on collections that are in no realm: for `index(matching:)`.

/// An element of an unmanaged collection, as predicates see it.
struct UnmanagedElement: PlainElement {
  let value: Any

  func values(_ path: QueryPath) -> [StoredValue] {
    let (found, crosses) = reached(path.steps[...])
    if found.isEmpty, !crosses { return [.null] }
    return found.map(Self.stored)
  }

  func objects(_ path: QueryPath) -> [any PlainElement] {
    reached(path.steps[...]).found.map { UnmanagedElement(value: $0) }
  }

  func sizes(_ path: QueryPath) -> [Int] {
    let (owners, crosses) = reached(path.steps.dropLast())
    if owners.isEmpty { return crosses ? [] : [0] }
    return owners.map { owner in
      let values = UnmanagedElement(value: owner).reached(path.steps.suffix(1))
      if values.crossesCollection { return values.found.count }
      switch values.found.first.map(Self.stored) {
      case .string(let text): return text.utf8.count
      case .data(let bytes): return bytes.count
      case .link: return 1
      default: return 0
      }
    }
  }

  /// The values at the end of a path, without those behind a link to nothing.
  private func reached(
    _ steps: ArraySlice<QueryPath.Step>
  ) -> (found: [Any], crossesCollection: Bool) {
    guard let step = steps.first else { return ([value], false) }
    let (here, isCollection) = next(step)
    var found: [Any] = []
    var crosses = isCollection
    for value in here {
      let further = UnmanagedElement(value: value).reached(steps.dropFirst())
      found += further.found
      crosses = crosses || further.crossesCollection
    }
    return (found, crosses)
  }

  private func next(_ step: QueryPath.Step) -> (values: [Any], isCollection: Bool) {
    switch step {
    case .property(let column): return elements(of: property(column))
    case .keys(let column):
      return ((property(column) as? any KeyedValues)?.keyTexts ?? [], true)
    case .element(let column, let element):
      return (Self.element(element, of: property(column)).map { [$0] } ?? [], false)
    case .inside(let element?):
      return (Self.element(element, of: content).map { [$0] } ?? [], false)
    case .inside(nil): return (elements(of: content).values, true)
    case .backlinks, .links: return ([], true)
    }
  }

  /// What an `AnyRealmValue` holds.
  private var content: Any? { (value as? AnyRealmValue)?.content }

  /// The value of the property that has that name in a file.
  private func property(_ column: String) -> Any? {
    guard let object = value as? ObjectBase,
      let property = object._info.properties.first(where: { $0.columnName == column })
    else { return nil }
    return object._value(of: property)
  }

  private func elements(of value: Any?) -> (values: [Any], isCollection: Bool) {
    guard let value = value.flatMap(unwrapped) else { return ([], false) }
    if let map = value as? any KeyedValues { return (map.allValues, true) }
    if let collection = value as? any RealmCollectionBase {
      return (collection.map { $0 as Any }, true)
    }
    return ([value], false)
  }

  private static func element(_ element: QueryPath.Element, of value: Any?) -> Any? {
    if case .key(let key) = element { return (value as? any KeyedValues)?.anyValue(of: key) }
    guard let collection = value as? any RealmCollectionBase else { return nil }
    let elements = collection.map { $0 as Any }
    switch element {
    case .index(let index): return elements.indices.contains(index) ? elements[index] : nil
    case .first: return elements.first
    case .last: return elements.last
    case .key: return nil
    }
  }

  private static func stored(_ value: Any) -> StoredValue {
    guard let value = persistedArgument(value) else { return .null }
    if let object = storedObject(value) { return link(to: object) }
    return StoredValue(constant: value) ?? .null
  }

  /// What stands for an object: its row, or which instance it is.
  static func link(to object: ObjectBase) -> StoredValue {
    if object._isManaged {
      return .link(object._binding!.table, ObjectKey(rawValue: object._key))
    }
    let address = unsafe Int(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    return .link(.unassigned, ObjectKey(rawValue: Int64(address)))
  }
}

/// A map, whatever its types.
private protocol KeyedValues {
  var keyTexts: [Any] { get }
  var allValues: [Any] { get }
  func anyValue(of key: String) -> Any?
}

extension Map: KeyedValues {
  fileprivate var keyTexts: [Any] { keys.map(\._keyText) }
  fileprivate var allValues: [Any] { values }
  fileprivate func anyValue(of key: String) -> Any? { self[Key(_keyText: key)] }
}

extension RealmCollection {
  /// The position of the first unmanaged element that the condition holds for.
  func unmanagedIndex(_ elements: [Element], matching condition: PredicateNode) -> Int? {
    let type = Element._rlmDescription.target.map { ClassInfo.of($0) }
    return checkingPredicate { () throws(InvalidPredicate) in
      let predicate = try PredicateLowering.lower(condition, for: type) {
        object throws(InvalidPredicate) in UnmanagedElement.link(to: object)
      }
      let query = PlainQuery(predicate)
      for (index, element) in elements.enumerated() {
        do throws(QueryError) {
          if try query.holds(for: UnmanagedElement(value: element)) { return index }
        } catch {
          throw InvalidPredicate(error.reason)
        }
      }
      return nil
    }
  }
}
