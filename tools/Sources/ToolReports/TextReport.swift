import Foundation

/// A report that people read as text and programs as JSON.
public protocol TextReport: Codable, Sendable {
  /// Without a line break at the end.
  var text: String { get }
}

extension TextReport {
  /// The report as JSON with sorted keys, without a line break at the end.
  public func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  /// Reads what `json()` has written.
  public init(json: Data) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(Self.self, from: json)
  }
}
