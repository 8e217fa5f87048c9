import Foundation
import Platform

/// Small files that nobody but the server's user may read.
enum PrivateFile {
  /// The fewest characters of a secret.
  private static let secretSize = 32

  /// Writes a file as a whole, or not at all.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let partial = path + ".partial"
    try? FileManager.default.removeItem(atPath: partial)
    guard
      FileManager.default.createFile(
        atPath: partial, contents: nil, attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: partial]) }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: partial))
    try handle.write(contentsOf: bytes)
    try handle.synchronize()
    try handle.close()
    guard rename(partial, path) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
    }
  }

  /// The secret in a file, which is made at random if there is none.
  static func secret(at path: String) throws -> [UInt8] {
    if let data = FileManager.default.contents(atPath: path), !data.isEmpty {
      let text = String(decoding: data, as: UTF8.self).filter { !$0.isNewline }
      guard text.utf8.count >= secretSize, text.allSatisfy({ $0.isASCII && !$0.isWhitespace })
      else {
        throw DataFolder.Unusable(
          description: "\(path) is damaged: a secret of at least \(secretSize) characters was"
            + " expected; restore it from a backup, or remove it to have a new one made")
      }
      return Array(text.utf8)
    }
    let text = Hex.text(RandomBytes.make(32))
    try write(Array((text + "\n").utf8), to: path)
    return Array(text.utf8)
  }
}
