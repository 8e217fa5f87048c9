import Foundation
import Glibc
import Platform

/// Small files that nobody but the server's user may read.
enum PrivateFile {
  /// The fewest characters of a secret.
  private static let secretSize = 32

  /// Writes a file as a whole, or not at all.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let partial = path + ".partial"
    try? FileManager.default.removeItem(atPath: partial)
    let descriptor = unsafe open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileProblem(path, "cannot be written", POSIXError.current) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: bytes)
      try handle.synchronize()
      try handle.close()
    } catch { throw FileProblem(path, "cannot be written", error) }
    guard unsafe rename(partial, path) == 0 else {
      throw FileProblem(path, "cannot be written", POSIXError.current)
    }
  }

  /// Whether others than its user may read or write a file.
  static func isOpenToOthers(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o077 != 0
  }

  /// The secret in a file, which is made at random if there is none.
  static func secret(at path: String) throws -> [UInt8] {
    var data = Data()
    do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      if FileManager.default.fileExists(atPath: path) {
        throw FileProblem(path, "cannot be read", error)
      }
    }
    if !data.isEmpty {
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
