import CScan

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

  /// - Parameter scratch: memory to fold into, kept from call to call.
  func matches(_ bytes: UnsafeRawBufferPointer, scratch: inout [UInt8]) -> Bool {
    if options.isEmpty { return unsafe matchesFolded(bytes) }
    if options.contains(.caseInsensitive) {
      let count = bytes.count
      if scratch.count < count { scratch = [UInt8](repeating: 0, count: 2 * count) }
      let found = unsafe scratch.withUnsafeMutableBufferPointer { buffer -> Bool? in
        guard unsafe scan_lower_ascii(bytes.baseAddress, count, buffer.baseAddress) != 0 else {
          return nil
        }
        return unsafe matchesFolded(UnsafeRawBufferPointer(start: buffer.baseAddress, count: count))
      }
      if let found { return found }
    }
    var folded: [UInt8] = []
    unsafe TextFolding.fold(bytes, options, into: &folded)
    return unsafe folded.withUnsafeBytes { unsafe matchesFolded($0) }
  }

  private func matchesFolded(_ bytes: UnsafeRawBufferPointer) -> Bool {
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
      case .text(.like): return unsafe pattern.unsafelyUnwrapped.matches(bytes)
      }
    }
  }
}
