/// A string as the store compares and orders it: by its bytes. Swift takes two for equal that mean
/// the same and are composed differently, of which a file keeps both.
package struct StoredText: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: StoredText, right: StoredText) -> Bool {
    left.text.utf8.count == right.text.utf8.count && order(left, right) == .equal
  }

  package static func < (left: StoredText, right: StoredText) -> Bool {
    order(left, right) == .less
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  private static func order(_ left: StoredText, _ right: StoredText) -> Ordering {
    var (left, right) = (left.text, right.text)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        unsafe ByteOrder.compare(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
      }
    }
  }
}
