import Foundation

/// What a module declares publicly, as the compiler's tools write it down.
struct PublicSymbols: Decodable {
  struct Symbol: Decodable {
    struct Comment: Decodable {}
    struct Location: Decodable {
      struct Position: Decodable { let line: Int }
      let uri: String
      let position: Position
    }

    let pathComponents: [String]
    let docComment: Comment?
    /// Where it is declared; nil for what the compiler makes.
    let location: Location?

    /// Names that begin so are public only for the compiler's sake.
    var isForUsers: Bool { !pathComponents.contains { $0.hasPrefix("_") } }

    /// Such as `List.swift:12 List.append(_:)`.
    var place: String {
      let name = pathComponents.joined(separator: ".")
      guard let location else { return name }
      let file = (location.uri as NSString).lastPathComponent
      return "\(file):\(location.position.line + 1) \(name)"
    }
  }

  let symbols: [Symbol]

  /// All that the tool wrote into the folder.
  static func read(from folder: URL) throws -> [Symbol] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json" }
      .flatMap { try JSONDecoder().decode(Self.self, from: Data(contentsOf: $0)).symbols }
  }
}
