import CScan

/// What the matching of many strings works with.
struct TextScratch {
  /// Memory to fold strings into, kept from string to string.
  fileprivate var folded: [UInt8] = []
  /// How much work may still be done; below zero when it was too much.
  var left = Int.max
}

/// What one string is compared with, prepared once for many strings.
struct TextMatcher: Sendable {
  enum Test: Hashable, Sendable {
    case compare(QueryComparison)
    case text(TextOperation)

    /// Whether something is looked for inside the text. The empty string is never found there, as
    /// in Foundation; null always is, as in Realm's core.
    var isInside: Bool {
      switch self {
      case .text(.contains), .text(.begins), .text(.ends): true
      case .text(.like), .compare: false
      }
    }
  }

  let test: Test
  let options: TextOptions
  /// Folded by `options`.
  let needle: [UInt8]
  private let pattern: LikePattern?

  init(_ test: Test, _ value: UnsafeRawBufferPointer, _ options: TextOptions) {
    self.test = test
    self.options = options
    if options.isEmpty {
      needle = unsafe Array(value)
    } else {
      var folded: [UInt8] = []
      unsafe TextFolding.fold(value, options, into: &folded)
      needle = folded
    }
    pattern = test == .text(.like) ? LikePattern(needle) : nil
  }

  init(_ test: Test, _ value: String, _ options: TextOptions) {
    var value = value
    self = value.withUTF8 { unsafe TextMatcher(test, UnsafeRawBufferPointer($0), options) }
  }

  func matches(_ bytes: UnsafeRawBufferPointer, scratch: inout TextScratch) -> Bool {
    // To look at so many bytes takes about as long as to go to another row.
    scratch.left &-= bytes.count >> 5
    if options.isEmpty { return unsafe matchesFolded(bytes, &scratch.left) }
    var left = scratch.left
    defer { scratch.left = left }
    if options.contains(.caseInsensitive) {
      let count = bytes.count
      if scratch.folded.count < count { scratch.folded = [UInt8](repeating: 0, count: 2 * count) }
      let found = unsafe scratch.folded.withUnsafeMutableBufferPointer { buffer -> Bool? in
        guard unsafe scan_lower_ascii(bytes.baseAddress, count, buffer.baseAddress) != 0 else {
          return nil
        }
        let folded = unsafe UnsafeRawBufferPointer(start: buffer.baseAddress, count: count)
        return unsafe matchesFolded(folded, &left)
      }
      if let found { return found }
    }
    var folded: [UInt8] = []
    unsafe TextFolding.fold(bytes, options, into: &folded)
    return unsafe folded.withUnsafeBytes { unsafe matchesFolded($0, &left) }
  }

  private func matchesFolded(_ bytes: UnsafeRawBufferPointer, _ left: inout Int) -> Bool {
    unsafe needle.withUnsafeBytes { needle in
      switch test {
      case .compare(let comparison):
        return unsafe ByteOrder.compare(bytes, needle).satisfies(comparison)
      case .text(.begins):
        return unsafe bytes.count >= needle.count
          && ByteOrder.equal(UnsafeRawBufferPointer(rebasing: bytes.prefix(needle.count)), needle)
      case .text(.ends):
        return unsafe bytes.count >= needle.count
          && ByteOrder.equal(UnsafeRawBufferPointer(rebasing: bytes.suffix(needle.count)), needle)
      case .text(.contains): return unsafe ByteOrder.contains(bytes, needle)
      case .text(.like): return unsafe pattern.unsafelyUnwrapped.matches(bytes, left: &left)
      }
    }
  }
}
