import Foundation
import Platform

/// Small files that nobody but the server's user may read.
enum PrivateFile {
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
      return Array(String(decoding: data, as: UTF8.self).utf8.filter { $0 != UInt8(ascii: "\n") })
    }
    let text = Hex.text(RandomBytes.make(32))
    try write(Array((text + "\n").utf8), to: path)
    return Array(text.utf8)
  }
}
