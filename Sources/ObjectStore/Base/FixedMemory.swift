/// Elements in memory of their own, as many as were asked for. They never move.
///
/// Used where an array would cost: reading an element counts no references, and changing one
/// copies nothing. Indices are checked. Copies of this are the same memory: there is one owner,
/// which calls `deallocate` when nothing uses it any more.
@safe struct FixedMemory<Element> {
  let count: Int
  private let address: UnsafeMutablePointer<Element>

  init(repeating element: Element, count: Int) {
    self.count = count
    unsafe address = .allocate(capacity: count)
    unsafe address.initialize(repeating: element, count: count)
  }

  init(_ elements: [Element]) {
    count = elements.count
    unsafe address = .allocate(capacity: elements.count)
    for (index, element) in elements.enumerated() {
      unsafe (address + index).initialize(to: element)
    }
  }

  func deallocate() {
    unsafe address.deinitialize(count: count)
    unsafe address.deallocate()
  }

  @inline(__always)
  subscript(_ index: Int) -> Element {
    unsafeAddress {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "an index out of range")
      return unsafe UnsafePointer(address + index)
    }
    nonmutating unsafeMutableAddress {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "an index out of range")
      return unsafe address + index
    }
  }

  var indices: Range<Int> { 0..<count }
}

/// One value in memory of its own, which never moves; else as `FixedMemory`.
@safe struct FixedCell<Value> {
  private let address: UnsafeMutablePointer<Value>

  init(_ value: Value) {
    // A cache line's beginning: what is looked at together lies together.
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Value>.size, alignment: 64)
    unsafe address = raw.initializeMemory(as: Value.self, to: value)
  }

  func deallocate() {
    unsafe address.deinitialize(count: 1)
    unsafe address.deallocate()
  }

  @inline(__always)
  var pointee: Value {
    unsafeAddress { unsafe UnsafePointer(address) }
    nonmutating unsafeMutableAddress { unsafe address }
  }
}
