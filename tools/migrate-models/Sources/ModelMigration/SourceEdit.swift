/// Text to be put in the place of a range of a source's UTF-8.
struct SourceEdit {
  let range: Range<Int>
  let text: String
}

extension String {
  /// The text with the edits made, which must not overlap.
  func applying(_ edits: [SourceEdit]) -> String {
    var bytes = Array(utf8)
    for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(edit.range, with: edit.text.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
