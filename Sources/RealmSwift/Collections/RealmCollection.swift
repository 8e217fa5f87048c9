public import Foundation

// What lists, results and linking objects have in common. Each conforming type says how to get at
// its elements and gives `_collection`, the type-erased view that queries, aggregates and
// observation work on; everything else stands in the extensions.

/// A collection of a realm, seen without what makes it comparable.
public protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol,
  CustomStringConvertible, ThreadConfined
where Element: RealmCollectionValue {
  /// The type of the elements.
  typealias ElementType = Element
}

/// A collection of a realm's values: lists, results, linking objects.
///
/// Live collections follow the realm: after a refresh or a change they hold what is there then.
public protocol RealmCollection: RealmCollectionBase, _ObjcBridgeable, Equatable
where Iterator == RLMIterator<Element>, Index == Int {
  /// The collection as the engine sees it. A misuse for an unmanaged one.
  var _collection: _ManagedCollection { get }
  /// What queries start from. Nil where there is no realm to find anything in, so that they give
  /// nothing; a misuse for an unmanaged list or set.
  var _queriedCollection: _ManagedCollection? { get }
  /// The elements of an unmanaged collection; nil for a managed one.
  var _unmanagedElements: [Element]? { get }
  /// The live or frozen collection that stands for the view.
  static func _make(_ collection: _ManagedCollection) -> Self
  /// The position of the first element equal to the given one.
  func index(of element: Element) -> Int?
}

extension RealmCollection {
  public var _queriedCollection: _ManagedCollection? { _collection }
  public var _unmanagedElements: [Element]? { nil }

  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  /// The index after the last element: the count.
  public var endIndex: Int { count }
  /// The next index.
  public func index(after index: Int) -> Int { index + 1 }
  /// The index before.
  public func index(before index: Int) -> Int { index - 1 }

  /// The first element, nil if there is none.
  public var first: Element? { isEmpty ? nil : self[0] }

  /// The last element, nil if there is none.
  public var last: Element? {
    let count = count
    return count == 0 ? nil : self[count - 1]
  }

  /// Whether there are no elements.
  public var isEmpty: Bool { count == 0 }

  /// The elements at the given positions.
  public func objects(at indexes: IndexSet) -> [Element] { indexes.map { self[$0] } }

  /// The type, the address and up to a hundred elements, for people to read.
  public var description: String { describeCollection(self, depth: 0) }
}

/// So many elements of a collection are described.
let describedElements = 100

/// A hundred elements at most, one per line, as Apple's SDK has it:
/// `Results<Dog> <0x7f8c2a004c80> (`.
///
/// - Parameter depth: how deep in the description of an object that holds it.
func describeCollection<C: RealmCollectionBase>(_ collection: C, depth: Int) -> String {
  if depth > 4 { return "<Maximum depth exceeded>" }
  let lines = collection.prefix(describedElements).enumerated().map { index, element in
    "[\(index)] \(describeElement(element, depth: depth + 1))"
  }
  let name = String(describing: C.self).prefix { $0 != "<" }
  let address = addressText(instance(behind: collection))
  return describeLines(
    lines, of: "\(name)<\(elementText(C.Element.self))> <\(address)>", count: collection.count)
}

func describeElement(_ element: Any, depth: Int) -> String {
  (element as? ObjectBase)?._describe(depth: depth)
    ?? (element as? AnyRealmValue)?._describe(depth: depth) ?? "\(element)"
}

/// The elements that were described, and how many there are beyond them.
func describeLines(_ elements: [String], of type: String, count: Int) -> String {
  var lines = elements.map { text in
    "\t\(text)".split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
  }
  if count > elements.count {
    lines.append("\t... \(count - elements.count) objects skipped.")
  }
  return "\(type) (\n" + lines.joined(separator: ",\n") + "\n)"
}

/// The elements' type as descriptions of collections name it.
func elementText<Element: _RealmSchemaDiscoverable>(_ type: Element.Type) -> String {
  let description = Element._rlmDescription
  return description.target?.className() ?? String(describing: description.type)
}

/// Which instance a collection is, or is a view of; null for what stands for nothing yet.
private func instance<C: RealmCollectionBase>(behind collection: C) -> AnyObject? {
  if C.self is AnyClass { return collection as AnyObject }
  guard let view = collection as? any RealmCollection, view.realm != nil else { return nil }
  return view._collection
}

func addressText(_ instance: AnyObject?) -> String {
  "0x" + String(instance.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0, radix: 16)
}
