import Foundation
import Storage

/// A file with an encryption key. A key among the arguments would be seen by every user of the
/// machine.
struct KeyFile {
  let path: String

  /// - Throws: `StorageError` if there is none in the file.
  func key() throws -> EncryptionKey {
    guard let content = FileManager.default.contents(atPath: path) else {
      throw StorageError(.fileNotFound, path: path, "could not read the key file")
    }
    guard let key = EncryptionKey(content) ?? hexadecimal(content).flatMap({ EncryptionKey($0) })
    else {
      throw StorageError(
        .invalidInput, path: path,
        "a key file holds \(EncryptionKey.byteCount) bytes, or twice as many hexadecimal digits")
    }
    return key
  }

  private func hexadecimal(_ content: Data) -> [UInt8]? {
    let text = String(decoding: content, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
