// Lists and sets as arrays, maps as dictionaries. What is decoded is unmanaged.

extension RealmCollection where Element: Encodable {
  /// Encodes the elements as an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}

extension List: Encodable where Element: Encodable {}
extension MutableSet: Encodable where Element: Encodable {}
extension Results: Encodable where Element: Encodable {}
extension AnyRealmCollection: Encodable where Element: Encodable {}

extension Map: Encodable where Value: Encodable {
  /// Encodes the entries as a dictionary. Of keys that Swift takes for equal, since they differ
  /// only in how they are composed, that has the last.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(
      Dictionary(pairs.map { ($0.key._keyText, $0.value) }, uniquingKeysWith: { $1 }))
  }
}

extension Decodable {
  /// The elements of an array.
  fileprivate static func elements(from decoder: any Decoder) throws -> [Self] {
    var elements: [Self] = []
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd { elements.append(try container.decode(Self.self)) }
    return elements
  }
}

extension List: Decodable where Element: Decodable {
  /// Decodes an unmanaged list from an array.
  public convenience init(from decoder: any Decoder) throws {
    self.init(unmanaged: try Element.elements(from: decoder))
  }
}

extension MutableSet: Decodable where Element: Decodable {
  /// Decodes an unmanaged set from an array.
  public convenience init(from decoder: any Decoder) throws {
    self.init(unmanaged: try Element.elements(from: decoder))
  }
}

extension Map: Decodable where Value: Decodable {
  /// Decodes an unmanaged map from a dictionary.
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    let entries = try decoder.singleValueContainer().decode([String: Value].self)
    for (key, value) in entries { updateValue(value, forKey: Key(_keyText: key)) }
  }
}
