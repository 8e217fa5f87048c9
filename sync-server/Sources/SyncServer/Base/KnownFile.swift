import Foundation
import Glibc

/// A database of the server that is not to begin anew once it has been made: beside it, a small file
/// says that it was.
///
/// A database that is missing, or has no bytes, is taken for a new one by who opens it. So a file that
/// was lost would show as a server without data.
struct KnownFile: Sendable {
  let path: String
  private var mark: String { path + ".made" }

  init(_ path: String) { self.path = path }

  /// Whether it has been made, wherever it is now.
  var wasMade: Bool { FileManager.default.fileExists(atPath: mark) }

  /// - Throws: if the file was made, and is not there or empty.
  func check() throws {
    guard wasMade else { return }
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    guard !isThere || status.st_size == 0 else { return }
    throw DataFolder.Unusable(
      description: "\(path) \(isThere ? "is empty" : "is missing"), and had data: restore it from a"
        + " backup; to begin anew without what was in it, remove \(mark)")
  }

  /// Notes that it has been made. To be called when it is on the disk.
  func noteMade() throws {
    if wasMade { return }
    let text = "This file's namesake has been made. If it is missing or empty, restore a backup.\n"
    try PrivateFile.write(Array(text.utf8), to: mark)
  }
}
