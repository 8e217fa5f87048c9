// `_nfd` is the standard library's own canonical decomposition; nothing below Foundation offers it
// publicly, and Foundation is not wanted this far down.
@_spi(_Unicode) import Swift

/// Brings strings into a form in which those that count as equal have equal bytes.
enum TextFolding {
  /// Appends the folded form of the UTF-8 `bytes` to `output`. Bytes that are not UTF-8 fold as
  /// if repaired.
  static func fold(
    _ bytes: UnsafeRawBufferPointer, _ options: TextOptions, into output: inout [UInt8]
  ) {
    let ignoringCase = options.contains(.caseInsensitive)
    if unsafe isASCII(bytes) {
      let start = output.count
      unsafe output.append(contentsOf: bytes)
      if ignoringCase {
        unsafe output.withUnsafeMutableBufferPointer { unsafe lower($0, from: start) }
      }
      return
    }
    let text = unsafe String(decoding: bytes, as: UTF8.self)
    if options.contains(.diacriticInsensitive) {
      for scalar in text._nfd where scalar.properties.generalCategory != .nonspacingMark {
        append(scalar, ignoringCase, into: &output)
      }
    } else {
      for scalar in text.unicodeScalars { append(scalar, ignoringCase, into: &output) }
    }
  }

  private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var high: UInt8 = 0
    for index in 0..<bytes.count { unsafe high |= bytes[index] }
    return high < 0x80
  }

  private static func lower(_ bytes: UnsafeMutableBufferPointer<UInt8>, from start: Int) {
    for index in start..<bytes.count {
      let byte = unsafe bytes[index]
      unsafe bytes[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
  }

  static func fold(_ text: String, _ options: TextOptions) -> [UInt8] {
    var text = text
    var output: [UInt8] = []
    text.withUTF8 { unsafe fold(UnsafeRawBufferPointer($0), options, into: &output) }
    return output
  }

  private static func append(
    _ scalar: Unicode.Scalar, _ ignoringCase: Bool, into output: inout [UInt8]
  ) {
    guard ignoringCase else {
      unsafe output.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
      return
    }
    // Lower case of upper case makes ß equal to SS and the two small sigmas equal, as Unicode's
    // case folding does. The dotless i is the exception: it folds to itself.
    if scalar == "\u{131}" {
      output.append(contentsOf: [0xC4, 0xB1])
      return
    }
    for upper in scalar.properties.uppercaseMapping.unicodeScalars {
      output.append(contentsOf: upper.properties.lowercaseMapping.utf8)
    }
  }
}
