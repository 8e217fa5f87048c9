/// What a full-text search looks for: words that must all be there, and words that must not.
///
/// `abc*` stands for all words that begin so, `-word` excludes one. What is no letter or digit
/// separates words.
struct TextSearch: Sendable {
  struct Term: Sendable {
    var word: [UInt8]
    var isPrefix: Bool

    func matches(_ words: Set<[UInt8]>) -> Bool {
      isPrefix ? words.contains { $0.starts(with: word) } : words.contains(word)
    }
  }

  private(set) var wanted: [Term] = []
  private(set) var excluded: [Term] = []

  init(_ text: String) {
    for part in text.split(whereSeparator: \.isWhitespace) {
      let isExcluded = part.hasPrefix("-")
      let isPrefix = part.hasSuffix("*")
      var words: [[UInt8]] = []
      var copy = String(part)
      copy.withUTF8 { bytes in
        unsafe TextTokens.forEach(UnsafeRawBufferPointer(bytes)) { words.append($0) }
      }
      for (index, word) in words.enumerated() {
        let term = Term(word: word, isPrefix: isPrefix && index == words.count - 1)
        if isExcluded { excluded.append(term) } else { wanted.append(term) }
      }
    }
  }

  func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    let words = unsafe TextTokens.set(text)
    return wanted.allSatisfy { $0.matches(words) } && !excluded.contains { $0.matches(words) }
  }
}
