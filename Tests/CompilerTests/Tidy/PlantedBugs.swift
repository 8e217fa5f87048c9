/// The patches that plant bugs for the simulator to find, against the sources.
enum PlantedBugs {
  /// Patches with a piece that is nowhere in the file that it changes.
  static func complaints(in checkout: Checkout) throws -> [String] {
    try checkout.paths(in: "Tests", ending: ".patch").filter { $0.contains("PlantedBugs/") }
      .flatMap { try complaints(about: $0, in: checkout) }
  }

  private static func complaints(about patch: String, in checkout: Checkout) throws -> [String] {
    var complaints: [String] = []
    var target = ""
    for piece in try pieces(of: checkout.text(patch)) {
      target = piece.target ?? target
      guard checkout.exists(target) else {
        complaints.append("\(patch): there is no \(target)")
        continue
      }
      let text = "\n" + (try checkout.text(target)) + "\n"
      if !text.contains("\n" + piece.old.joined(separator: "\n") + "\n") {
        complaints.append("\(patch) does not apply to \(target)")
      }
    }
    return complaints.isEmpty && target.isEmpty ? ["\(patch) changes nothing"] : complaints
  }

  private struct Piece {
    let target: String?
    var old: [Substring] = []
  }

  /// The lines that each piece expects to find.
  private static func pieces(of patch: String) -> [Piece] {
    var pieces: [Piece] = []
    var target: String?
    for line in patch.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("+++ b/") {
        target = String(line.dropFirst(6))
      } else if line.hasPrefix("--- ") || line.hasPrefix("diff ") {
        continue
      } else if line.hasPrefix("@@") {
        pieces.append(Piece(target: target))
        target = nil
      } else if let kind = line.first, kind == " " || kind == "-", !pieces.isEmpty {
        pieces[pieces.count - 1].old.append(line.dropFirst())
      }
    }
    return pieces
  }
}
