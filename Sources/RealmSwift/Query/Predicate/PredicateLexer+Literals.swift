// Literals that are neither numbers nor strings: identifiers, data and dates.
extension PredicateLexer {
  /// `uuid(...)`, `oid(...)`, `B64"..."` or `T<seconds>:<nanoseconds>`; nil if there is something
  /// else.
  mutating func literal() throws(InvalidPredicate) -> PredicateToken? {
    if take("uuid(") { return .uuid(try inside()) }
    if take("oid(") { return .objectId(try inside()) }
    for quote in ["\"", "'"] where take("B64" + quote) {
      return .base64(try text(until: Character(quote)))
    }
    return timestamp()
  }

  private mutating func inside() throws(InvalidPredicate) -> String {
    let text = try text(until: ")")
    return String(text.filter { $0 != "'" && $0 != "\"" && !$0.isWhitespace })
  }

  private mutating func text(until end: Character) throws(InvalidPredicate) -> String {
    var text = ""
    while let character = peek() {
      position += 1
      if character == end { return text }
      text.append(character)
    }
    throw InvalidPredicate("'\(end)' is missing after '\(text)'")
  }

  private mutating func take(_ text: String) -> Bool {
    let end = position + text.count
    guard end <= characters.count, String(characters[position..<end]) == text else { return false }
    position = end
    return true
  }

  /// Digits, perhaps with a sign; nil, and nothing taken, if there are none.
  private mutating func integer(signed: Bool = false) -> Int? {
    let start = position
    if signed, peek() == "-" { position += 1 }
    while isDigit(peek()) { position += 1 }
    guard let value = Int(String(characters[start..<position])) else {
      position = start
      return nil
    }
    return value
  }

  /// Seconds and nanoseconds since 1970.
  private mutating func timestamp() -> PredicateToken? {
    let start = position
    if take("T"), let seconds = integer(signed: true), take(":"),
      let nanoseconds = integer(signed: true)
    {
      return .date(Self.sinceReference(seconds, nanoseconds))
    }
    position = start
    return nil
  }

  /// `2017-09-13@12:00:00:500`, in universal time; nil, and nothing taken, for anything else.
  mutating func date() throws(InvalidPredicate) -> PredicateToken? {
    let start = position
    guard let year = integer(), take("-"), let month = integer(), take("-"), let day = integer(),
      take("@") || take("T"), let hour = integer(), take(":"), let minute = integer(), take(":"),
      let second = integer()
    else {
      position = start
      return nil
    }
    var nanoseconds = 0
    if take(":") {
      guard let found = integer() else { throw InvalidPredicate("a date ends after its ':'") }
      nanoseconds = found
    }
    guard year < 1_000_000, (1...12).contains(month), (1...31).contains(day), hour < 24,
      minute < 60, second < 61
    else { throw InvalidPredicate("there is no such date") }
    let seconds = ((Self.day(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
    return .date(Self.sinceReference(seconds, nanoseconds))
  }

  private static func sinceReference(_ seconds: Int, _ nanoseconds: Int) -> Double {
    Double(seconds) - 978_307_200 + Double(nanoseconds) / 1_000_000_000
  }

  /// The number of a day of the Gregorian calendar since 1970; years begin in March meanwhile, so
  /// that the leap day is their last.
  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
