/// The words of a text, as full-text search compares them: without case and without diacritics.
///
/// A word is a run of letters, digits and marks of any script; an ideograph is a word by itself.
enum TextTokens {
  /// Calls `body` with each word, in UTF-8, in the order of the text; some may come again.
  static func forEach(_ text: UnsafeRawBufferPointer, _ body: ([UInt8]) -> Void) {
    var folded: [UInt8] = []
    unsafe TextFolding.fold(text, [.caseInsensitive, .diacriticInsensitive], into: &folded)
    var word: [UInt8] = []
    func end() {
      if word.isEmpty { return }
      body(word)
      word.removeAll(keepingCapacity: true)
    }
    if folded.allSatisfy({ $0 < 0x80 }) {
      for byte in folded {
        if isLetterOrDigit(byte) { word.append(byte) } else { end() }
      }
      return end()
    }
    for scalar in String(decoding: folded, as: UTF8.self).unicodeScalars {
      let properties = scalar.properties
      if properties.isIdeographic {
        end()
        unsafe word.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
        end()
      } else if properties.isAlphabetic || isPartOfWord(properties.generalCategory) {
        unsafe word.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
      } else {
        end()
      }
    }
    end()
  }

  /// Each word once.
  static func set(_ text: UnsafeRawBufferPointer) -> Set<[UInt8]> {
    var words: Set<[UInt8]> = []
    unsafe forEach(text) { words.insert($0) }
    return words
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || byte &- 0x61 < 26
  }

  private static func isPartOfWord(_ category: Unicode.GeneralCategory) -> Bool {
    switch category {
    case .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
      true
    default: false
    }
  }

  // MARK: In an index

  /// How an index orders words: by their first 8 bytes. Words that agree in those share an entry.
  static func indexed(_ word: [UInt8]) -> Int64 { bits(word, filler: 0) }

  /// The entries of an index among which the word is, or all words that begin with it.
  static func range(_ word: [UInt8], isPrefix: Bool) -> ClosedRange<Int64> {
    bits(word, filler: 0)...bits(word, filler: isPrefix ? 0xFF : 0)
  }

  private static func bits(_ word: [UInt8], filler: UInt8) -> Int64 {
    var bits: UInt64 = 0
    for index in 0..<8 {
      bits = bits << 8 | UInt64(index < word.count ? word[index] : filler)
    }
    return Int64(bitPattern: bits ^ (1 << 63))
  }

  /// The entries of a text, rising, each once.
  static func indexed(_ text: UnsafeRawBufferPointer) -> [Int64] {
    var entries: Set<Int64> = []
    unsafe forEach(text) { entries.insert(indexed($0)) }
    return entries.sorted()
  }
}
