public import Foundation

// Changing lists. Each method checks its arguments before it changes anything; a managed list also
// checks that its realm is in a write transaction.

extension List: MutableCollection {
  /// The elements in the range, which stay live.
  public subscript(bounds: Range<Int>) -> Slice<List<Element>> {
    get { Slice(base: self, bounds: bounds) }
    set { replaceSubrange(bounds, with: Array(newValue)) }
  }

  /// Adds an element at the end. An unmanaged object is added to the realm.
  public func append(_ object: Element) { insertChecked(object, at: nil) }

  /// Adds all elements of a sequence at the end.
  public func append<S: Sequence>(objectsIn objects: S) where S.Element == Element {
    let objects = Array(objects)  // a list may be appended to itself
    if let accessor {
      accessor.prepareToWrite()
      accessor.insert(contentsOf: objects)
    } else {
      unmanaged.append(contentsOf: objects)
    }
  }

  /// Inserts an element before the one at the index; the index may be the count.
  public func insert(_ object: Element, at index: Int) {
    accessor?.prepareToWrite()
    checkIndex(index, below: count + 1)
    insertChecked(object, at: index)
  }

  /// Inserts elements before the one at the index; the index may be the count.
  public func insert<C: Swift.Collection>(contentsOf newElements: C, at index: Int)
  where C.Element == Element {
    accessor?.prepareToWrite()
    checkIndex(index, below: count + 1)
    insertChecked(contentsOf: Array(newElements), at: index)
  }

  private func insertChecked(_ element: Element, at index: Int?) {
    if let accessor {
      accessor.prepareToWrite()
      accessor.insert(element, at: index)
    } else {
      unmanaged.insert(element, at: index ?? unmanaged.count)
    }
  }

  private func insertChecked(contentsOf elements: [Element], at index: Int) {
    if let accessor {
      accessor.insert(contentsOf: elements, at: index)
    } else {
      unmanaged.insert(contentsOf: elements, at: index)
    }
  }

  /// Puts another element in the place of the one at the index.
  public func replace(index: Int, object: Element) {
    accessor?.prepareToWrite()
    checkIndex(index, below: count)
    if let accessor {
      accessor.replace(object, at: index)
    } else {
      unmanaged[index] = object
    }
  }

  /// Takes the element at the index out of the list; an object stays in the realm.
  public func remove(at index: Int) {
    accessor?.prepareToWrite()
    checkIndex(index, below: count)
    removeChecked(index..<index + 1)
  }

  private func removeChecked(_ range: Range<Int>) {
    if let accessor {
      accessor.remove(range)
    } else {
      unmanaged.removeSubrange(range)
    }
  }

  /// Takes the elements at the given positions out of the list.
  public func remove(atOffsets offsets: IndexSet) {
    accessor?.prepareToWrite()
    if let last = offsets.last { checkIndex(last, below: count) }
    for range in offsets.rangeView.reversed() { removeChecked(range) }
  }

  /// Takes the first elements out of the list; there must be that many.
  public func removeFirst(_ number: Int = 1) {
    checkNumber(number)
    removeSubrange(0..<number)
  }

  /// Takes the last elements out of the list; there must be that many.
  public func removeLast(_ number: Int = 1) {
    checkNumber(number)
    let count = count
    removeSubrange(count - number..<count)
  }

  private func checkNumber(_ number: Int) {
    accessor?.prepareToWrite()
    if number < 0 { throwRealmException("Cannot pass a negative value for 'index'.") }
    let count = count
    if number > count {
      throwRealmException("Index \(number - 1) is out of bounds (must be less than \(count)).")
    }
  }

  /// Takes the elements in the range out of the list.
  public func removeSubrange<R: RangeExpression>(_ bounds: R) where R.Bound == Int {
    accessor?.prepareToWrite()
    removeChecked(checkedRange(bounds))
  }

  private func checkedRange<R: RangeExpression>(_ bounds: R) -> Range<Int> where R.Bound == Int {
    let range = bounds.relative(to: self)
    if !range.isEmpty {
      checkIndex(range.lowerBound, below: count)
      checkIndex(range.upperBound - 1, below: count)
    } else {
      checkIndex(range.lowerBound, below: count + 1)
    }
    return range
  }

  /// Takes all elements out of the list; objects stay in the realm.
  public func removeAll() {
    if let accessor {
      accessor.prepareToWrite()
      accessor.removeAll()
    } else {
      unmanaged = []
    }
  }

  /// Puts other elements in the place of those in the range.
  public func replaceSubrange<C: Swift.Collection, R: RangeExpression>(
    _ subrange: R, with newElements: C
  ) where C.Element == Element, R.Bound == Int {
    accessor?.prepareToWrite()
    let range = checkedRange(subrange)
    let elements = Array(newElements)
    guard let accessor else { return unmanaged.replaceSubrange(range, with: elements) }
    if let owned = accessor.owned { accessor.check(elements.map(accessor.embeddable), owned) }
    accessor.instance.replacing {
      accessor.remove(range)
      accessor.insert(contentsOf: elements, at: range.lowerBound)
    }
  }

  /// Moves an element; the others close up.
  public func move(from: Int, to: Int) {
    accessor?.prepareToWrite()
    checkIndex(from, below: count)
    checkIndex(to, below: count)
    if let accessor {
      accessor.move(from: from, to: to)
    } else {
      unmanaged.insert(unmanaged.remove(at: from), at: to)
    }
  }

  /// Moves the elements at the given positions to before the one that is at the offset now.
  public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
    accessor?.prepareToWrite()
    if let last = offsets.last { checkIndex(last, below: count) }
    checkIndex(destination, below: count + 1)
    var moved = 0
    let before = offsets.filter { $0 < destination }.reversed()
    for index in before {
      move(from: index, to: destination - 1 - moved)
      moved += 1
    }
    moved = 0
    for index in offsets where index >= destination {
      move(from: index, to: destination + moved)
      moved += 1
    }
  }

  /// Exchanges two elements.
  public func swapAt(_ first: Int, _ second: Int) {
    accessor?.prepareToWrite()
    checkIndex(first, below: count)
    checkIndex(second, below: count)
    if first == second { return }
    if let accessor {
      accessor.swap(first, second)
    } else {
      unmanaged.swapAt(first, second)
    }
  }
}
