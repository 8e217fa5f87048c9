/// Full-text search in the plainest way, for the texts that `ValueGenerator` makes.
enum ModelWords {
  /// Whether all words of the search are in the text, and none that it excludes.
  static func holds(_ text: String, _ search: String) -> Bool {
    let words = words(text)
    return search.split(separator: " ").allSatisfy { term in
      let isExcluded = term.hasPrefix("-")
      let word = folded(String(term.drop { $0 == "-" }.prefix { $0 != "*" }))
      let isThere =
        term.hasSuffix("*") ? words.contains { $0.hasPrefix(word) } : words.contains(word)
      return isThere != isExcluded
    }
  }

  private static func words(_ text: String) -> Set<String> {
    var words: Set<String> = []
    var word = ""
    for character in folded(text) {
      let isIdeograph = character.unicodeScalars.contains(where: \.properties.isIdeographic)
      if isIdeograph || !(character.isLetter || character.isNumber) {
        words.insert(word)
        word = ""
        if isIdeograph { words.insert(String(character)) }
      } else {
        word.append(character)
      }
    }
    words.insert(word)
    return words.subtracting([""])
  }

  private static func folded(_ text: String) -> String {
    String(text.lowercased().map { $0 == "ö" ? "o" : $0 })
  }
}
