import ObjectStore

/// The elements of a set without a realm, which are distinct where those of a set in a realm are.
struct UnmanagedSet<Element: RealmCollectionValue> {
  /// In the order in which they came; the last one takes the place of one that goes.
  private(set) var elements: [Element] = []
  private var places: [SetElement<Element>: Int] = [:]

  init() {}

  init(_ elements: some Sequence<Element>) {
    for element in elements { insert(element) }
  }

  func contains(_ element: Element) -> Bool { places[SetElement(element)] != nil }

  func index(of element: Element) -> Int? { places[SetElement(element)] }

  mutating func insert(_ element: Element) {
    let known = places.count
    if places[SetElement(element), default: known] < known { return }
    places[SetElement(element)] = known
    elements.append(element)
  }

  mutating func remove(_ element: Element) {
    guard let place = places.removeValue(forKey: SetElement(element)) else { return }
    let last = elements.removeLast()
    if place == elements.count { return }
    elements[place] = last
    places[SetElement(last)] = place
  }
}

/// An element of a set, which equals another if a set in a realm would hold one of the two.
enum SetElement<Element: RealmCollectionValue>: Hashable {
  case value(StoredValue)
  case itself(Element)

  init(_ element: Element) {
    if let value = element._rlmComparable {
      self = .value(value)
    } else {
      self = .itself(element)
    }
  }

  static func == (left: SetElement, right: SetElement) -> Bool {
    switch (left, right) {
    case (.value(let left), .value(let right)): SetOrder.compare(left, right) == .equal
    case (.itself(let left), .itself(let right)): left == right
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .itself(let element): hasher.combine(element)
    case .value(let value):
      if let number = value.number {
        // What is no number is equal to itself here.
        hasher.combine(number.isNaN ? nil : number)
      } else {
        hasher.combine(value)
      }
    }
  }
}

extension StoredValue {
  /// The value of a number of any kind, which is equal for those that are.
  fileprivate var number: Double? {
    switch self {
    case .int(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value), .date(let value): value
    case .decimal128(let bits): Decimal128(bits).doubleValue
    default: nil
    }
  }
}
