extension MutableSet: _Persistable, _HasPersistedType, _RealmSchemaDiscoverable {
  /// What a property of this type is stored as.
  public typealias PersistedType = MutableSet<Element>

  public static var _rlmDescription: _PropertyDescription {
    var description = Element._rlmDescription
    description.collection = .set
    return description
  }

  public static var _rlmRequiresCaching: Bool { true }
  public static func _rlmDefaultValue() -> Self { unsafeDowncast(MutableSet(), to: Self.self) }

  public static func _rlmGet(_ object: ObjectBase, _ column: UInt32) -> Self {
    unsafeDowncast(MutableSet(accessor: object._listAccessor(column)), to: Self.self)
  }

  public static func _rlmSet(_ object: ObjectBase, _ column: UInt32, _ value: MutableSet<Element>) {
    let accessor = object._listAccessor(column)
    if let own = value.accessor, own.isSameList(as: accessor) { return }
    let elements = Array(value)
    accessor.prepareToWrite()
    accessor.removeAll()
    accessor.insertIntoSet(elements.map { $0._rlmStored(accessor.instance) })
  }

  public static func _rlmTransfer(
    _ value: MutableSet<Element>, _ object: ObjectBase, _ column: UInt32, _ mode: _TransferMode
  ) {
    if mode == .new && value.isEmpty { return }
    let accessor = object._listAccessor(column)
    let elements = value.map { $0._rlmStored(accessor.instance) }
    if mode == .overwriteModified, accessor.count == value.count,
      elements.allSatisfy(accessor.contains)
    {
      return
    }
    if mode != .new { accessor.removeAll() }
    accessor.insertIntoSet(Array(elements))
  }

  public static func _rlmPropertyFromAny(_ value: Any, _ realm: _RealmInstance?) -> Self? {
    guard let value = unwrapped(value) else { return _rlmDefaultValue() }
    if let set = value as? MutableSet<Element> {
      return unsafeDowncast(MutableSet(unmanaged: set), to: Self.self)
    }
    guard let sequence = value as? any Sequence else { return nil }
    var elements: [Element] = []
    for item in sequence {
      guard let element = Element._rlmFromAny(item, realm) else { return nil }
      elements.append(element)
    }
    return unsafeDowncast(MutableSet(unmanaged: elements), to: Self.self)
  }
}

extension MutableSet: Decodable where Element: Decodable {
  /// Decodes an unmanaged set from an array.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { insert(try container.decode(Element.self)) }
  }
}

extension MutableSet: Encodable where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}
