import ObjectStore

/// The elements of a set without a realm, in the order in which they came. They are distinct where
/// those of a set in a realm are.
///
/// What is taken out leaves a gap, unless it was the first or the last one. Gaps are closed when a
/// position is asked for, and when they outnumber the elements.
struct UnmanagedSet<Element: RealmCollectionValue> {
  private var slots: [Element?] = []
  private var start = 0
  /// Between the first and the last element.
  private var gapCount = 0
  private var places: [SetElement<Element>: Int] = [:]

  init() {}

  init(_ elements: some Sequence<Element>) {
    for element in elements { insert(element) }
  }

  var count: Int { places.count }

  var elements: [Element] { slots[start...].compactMap { $0 } }

  subscript(index: Int) -> Element {
    mutating get {
      if gapCount > 0 { closeGaps() }
      return slots[start + index]!
    }
  }

  func contains(_ element: Element) -> Bool { places[SetElement(element)] != nil }

  mutating func index(of element: Element) -> Int? {
    guard places[SetElement(element)] != nil else { return nil }
    if gapCount > 0 { closeGaps() }
    return places[SetElement(element)].map { $0 - start }
  }

  mutating func insert(_ element: Element) {
    let key = SetElement(element)
    if places[key] != nil { return }
    places[key] = slots.count
    slots.append(element)
  }

  mutating func remove(_ element: Element) {
    guard let place = places.removeValue(forKey: SetElement(element)) else { return }
    slots[place] = nil
    gapCount += 1
    while start < slots.count, case .none = slots[start] {
      start += 1
      gapCount -= 1
    }
    while start < slots.count, case .none? = slots.last {
      slots.removeLast()
      gapCount -= 1
    }
    if slots.count > 64, slots.count > 2 * count { closeGaps() }
  }

  private mutating func closeGaps() {
    let kept = elements
    slots = kept
    (start, gapCount) = (0, 0)
    for (place, element) in kept.enumerated() { places[SetElement(element)] = place }
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
