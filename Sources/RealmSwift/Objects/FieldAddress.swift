/// Where stored properties of an object are, seen without the object's type.
///
/// Reading through it is safe as long as its users keep to these rules: the object is kept while
/// this is used; the offset is one that reflection reported for the object's class; and the type
/// that is asked for is the one that reflection reported with it (`PersistedField.Type`, or
/// `FieldKind`, which follows from it). So it is made by `ObjectBase._withField` and by what goes
/// over the fields of a `ClassInfo` alone.
@safe struct FieldAddress {
  private let address: UnsafeMutableRawPointer

  @inline(__always)
  init(_ object: ObjectBase, at offset: Int) {
    unsafe address = Unmanaged.passUnretained(object).toOpaque() + offset
  }

  @inline(__always)
  private init(_ address: UnsafeMutableRawPointer) { unsafe self.address = address }

  @inline(__always)
  func advanced(by offset: Int) -> FieldAddress { unsafe FieldAddress(address + offset) }

  /// The property, which is of that type.
  @inline(__always)
  subscript<Value>(_ type: Persisted<Value>.Type) -> Persisted<Value> {
    unsafeAddress { unsafe UnsafePointer(address.assumingMemoryBound(to: type)) }
    nonmutating unsafeMutableAddress { unsafe address.assumingMemoryBound(to: type) }
  }
}
