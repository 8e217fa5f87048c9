import TestSupport
import Testing

@testable import ObjectStore

@Suite("Strings are matched by bytes, or folded")
struct QueryTextTests {
  private func matches(
    _ text: String, _ test: TextMatcher.Test, _ value: String, _ options: TextOptions = []
  ) -> Bool {
    var scratch = TextScratch()
    return unsafe Array(text.utf8).withUnsafeBytes {
      unsafe TextMatcher(test, value, options).matches($0, scratch: &scratch)
    }
  }

  @Test("without options bytes decide")
  func exact() {
    #expect(matches("straße", .compare(.equal), "straße"))
    #expect(!matches("Straße", .compare(.equal), "straße"))
    // The same letter, composed and decomposed.
    #expect(!matches("\u{E9}", .compare(.equal), "e\u{301}"))
    #expect(matches("abcabd", .text(.contains), "abd"))
    #expect(matches("abc", .text(.contains), ""))
    #expect(!matches("ab", .text(.contains), "abc"))
    #expect(matches("abc", .text(.begins), "ab"))
    #expect(!matches("abc", .text(.begins), "bc"))
    #expect(matches("abc", .text(.ends), "bc"))
    #expect(matches("", .text(.ends), ""))
    #expect(matches("b", .compare(.greater), "abc"))
    #expect(matches("ab", .compare(.less), "abc"))
  }

  @Test("case-insensitive matching folds beyond ASCII")
  func caseInsensitive() {
    #expect(matches("ÄRGER", .compare(.equal), "ärger", .caseInsensitive))
    #expect(matches("STRASSE", .compare(.equal), "straße", .caseInsensitive))
    #expect(matches("ΟΔΟΣ", .compare(.equal), "οδος", .caseInsensitive))
    #expect(matches("οδοσ", .compare(.equal), "οδος", .caseInsensitive))
    #expect(!matches("ı", .compare(.equal), "i", .caseInsensitive))
    #expect(!matches("é", .compare(.equal), "e", .caseInsensitive))
    #expect(matches("HELLO World", .text(.contains), "lo wo", .caseInsensitive))
  }

  @Test("diacritic-insensitive matching drops the marks")
  func diacriticInsensitive() {
    #expect(matches("café", .compare(.equal), "cafe", .diacriticInsensitive))
    #expect(matches("cafe\u{301}", .compare(.equal), "caf\u{E9}", .diacriticInsensitive))
    #expect(!matches("Café", .compare(.equal), "cafe", .diacriticInsensitive))
    #expect(
      matches("CAFÉ", .text(.begins), "café", [.caseInsensitive, .diacriticInsensitive]))
  }

  @Test("patterns match whole strings, characters not bytes")
  func patterns() {
    #expect(matches("holdfast", .text(.like), "h*t"))
    #expect(matches("holdfast", .text(.like), "*d?a*"))
    #expect(!matches("holdfast", .text(.like), "h*x"))
    #expect(!matches("holdfast", .text(.like), "old"))
    #expect(matches("naïve", .text(.like), "na?ve"))
    #expect(matches("日本語", .text(.like), "??語"))
    #expect(!matches("日本語", .text(.like), "?語"))
    #expect(matches("", .text(.like), "*"))
    #expect(!matches("", .text(.like), "?"))
    #expect(matches("a*b", .text(.like), "a\\*b"))
    #expect(!matches("axb", .text(.like), "a\\*b"))
    #expect(matches("ABC", .text(.like), "a?c", .caseInsensitive))
    #expect(!matches(String(repeating: "a", count: 2000), .text(.like), "*a*a*a*a*b"))
  }

  @Test("the search of long texts agrees with a simple one", arguments: Seeds.list(6))
  func search(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let text = (0..<Int.random(in: 0...120, using: &random)).map { _ in
        Character(["a", "b"].randomElement(using: &random)!)
      }
      let needle = (0..<Int.random(in: 1...9, using: &random)).map { _ in
        Character(["a", "b"].randomElement(using: &random)!)
      }
      let expected =
        text.count >= needle.count
        && (0...(text.count - needle.count)).contains {
          Array(text[$0..<($0 + needle.count)]) == needle
        }
      #expect(
        matches(String(text), .text(.contains), String(needle)) == expected,
        "seed \(seed): \(String(needle)) in \(String(text))")
    }
  }
}

@Suite("Values of different kinds compare by value")
struct QueryValueTests {
  private func bits(_ text: String) -> DecimalBits {
    let parts = text.split(separator: "e")
    var number = DecimalNumber(Int64(parts[0])!)
    number.exponent = parts.count > 1 ? Int(parts[1])! : 0
    return number.bits
  }

  @Test("integers against doubles, without rounding")
  func integersAndDoubles() {
    let big = Int64(1) << 53
    #expect(RowValue.compare(.int(big + 1), .double(Double(big))) == .greater)
    #expect(RowValue.compare(.int(.max), .double(0x1p63)) == .less)
    #expect(RowValue.compare(.int(.min), .double(-0x1p63)) == .equal)
    #expect(RowValue.compare(.int(2), .double(2.5)) == .less)
    #expect(RowValue.compare(.int(-2), .double(-2.5)) == .greater)
    #expect(RowValue.compare(.int(.min), .double(.nan)) == .greater)
    #expect(RowValue.compare(.double(.infinity), .int(.max)) == .greater)
  }

  @Test("ranges of integers that compare with a double", arguments: Seeds.list(4))
  func integerRangesOfDoubles(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let reals = [0, 0.5, -0.5, 3, -3, 2.999, 0x1p62, 0x1p63, -0x1p63, .infinity, -.infinity]
    let integers: [Int64] = [0, 1, -1, 2, 3, 4, -3, -4, .max, .min, 1 << 62]
    let all: [QueryComparison] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    for real in reals + [Double.random(in: -5...5, using: &random)] {
      for comparison in all {
        let (range, isInverted) = NumberOrder.integers(comparison, real)
        for integer in integers {
          let found = (range?.contains(integer) ?? false) != isInverted
          let expected = NumberOrder.compare(integer, real).satisfies(comparison)
          #expect(found == expected, "\(integer) \(comparison) \(real)")
        }
      }
    }
  }

  @Test("decimals compare by value, not by bits")
  func decimals() {
    #expect(RowValue.compare(.decimal128(bits("1")), .decimal128(bits("100e-2"))) == .equal)
    #expect(RowValue.compare(.decimal128(bits("-1")), .decimal128(bits("1e-6000"))) == .less)
    #expect(RowValue.compare(.decimal128(bits("1e6000")), .decimal128(bits("9e33"))) == .greater)
    #expect(RowValue.compare(.decimal128(bits("25e-1")), .double(2.5)) == .equal)
    #expect(RowValue.compare(.int(3), .decimal128(bits("25e-1"))) == .greater)
    #expect(RowValue.compare(.decimal128(.zero), .decimal128(bits("0"))) == .equal)
  }

  @Test("decimals add up and divide")
  func decimalArithmetic() {
    func sum(_ texts: [String]) -> DecimalNumber {
      texts.reduce(DecimalNumber(Int64(0))) { $0 + DecimalNumber(bits($1)) }
    }
    #expect(sum(["1e-1", "2e-1"]).compare(to: DecimalNumber(bits("3e-1"))) == .equal)
    #expect(sum(["1e20", "1e-10", "-1e20"]).compare(to: DecimalNumber(bits("1e-10"))) == .equal)
    let third = DecimalNumber(Int64(1)).divided(by: 3)
    #expect(third.coefficient == 3_333_333_333_333_333_333_333_333_333_333_333)
    #expect(third.exponent == -34)
    let twoThirds = DecimalNumber(Int64(2)).divided(by: 3)
    #expect(twoThirds.coefficient % 10 == 7)
    #expect(DecimalNumber(DecimalNumber(2.5).bits).double == 2.5)
    #expect(DecimalNumber(DecimalNumber(-Double.infinity).bits).double == -.infinity)
  }

  @Test("null equals null and nothing else")
  func null() {
    #expect(RowValue.compare(.null, .null) == .equal)
    #expect(RowValue.compare(.null, .int(0)) == .different)
    #expect(RowCompareNode.holds(.null, .lessOrEqual, .null))
    #expect(!RowCompareNode.holds(.null, .less, .int(1)))
    #expect(RowCompareNode.holds(.null, .notEqual, .int(1)))
    #expect(RowValue.compare(.date(1), .double(1)) == .different)
  }
}
