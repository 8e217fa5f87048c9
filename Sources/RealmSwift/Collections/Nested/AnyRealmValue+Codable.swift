import ObjectStore

/// Encoded as what it is, without saying of which type: none as null, lists and dictionaries as
/// arrays and dictionaries. What a format has no type for comes back as what stands for it there:
/// in JSON a date as a number or string. Objects cannot be encoded.
extension AnyRealmValue: Codable {
  /// Decodes a value of whichever type is there.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for lists and dictionaries that are in more others
  ///   than a realm could keep.
  public init(from decoder: any Decoder) throws {
    if Self.isTooDeep(decoder.codingPath) {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "The value is nested too deeply."))
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .none
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try Self.array(container) {
      self = .fromArray(value)
    } else {
      self = .fromDictionary(try container.decode([String: AnyRealmValue].self))
    }
  }

  /// The elements of an array; nil for what is none.
  private static func array(
    _ container: any SingleValueDecodingContainer
  ) throws -> [AnyRealmValue]? {
    do { return try container.decode([AnyRealmValue].self) } catch DecodingError.typeMismatch {
      return nil
    }
  }

  /// What the value is in may take part of the path, so that this allows for more levels than a
  /// realm does.
  private static func isTooDeep(_ path: [any CodingKey]) -> Bool {
    path.count > 2 * NestedCollection.depthMax
  }

  /// Encodes the value.
  ///
  /// - Throws: `EncodingError.invalidValue` for an object, and for lists and dictionaries that are
  ///   in more others than a realm could keep, as those are that hold themselves.
  public func encode(to encoder: any Encoder) throws {
    if isCollection, Self.isTooDeep(encoder.codingPath) {
      throw EncodingError.invalidValue(
        self,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "The value is nested too deeply, or holds itself."))
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .none: try container.encodeNil()
    case .int(let value): try container.encode(value)
    case .bool(let value): try container.encode(value)
    case .float(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .objectId(let value): try container.encode(value)
    case .decimal128(let value): try container.encode(value)
    case .uuid(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .dictionary(let value): try container.encode(value)
    case .object(let value):
      throw EncodingError.invalidValue(
        value,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "Objects in an AnyRealmValue cannot be encoded."))
    }
  }
}
