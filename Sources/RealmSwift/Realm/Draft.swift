import Foundation

/// A file that is made beside where it is to be, so that whoever sees it there has the whole.
struct Draft {
  let path: String
  private let target: String
  private var second: String { path + ".separated" }

  init(of target: String) {
    self.target = target
    path = "\(target).draft-\(UUID().uuidString)"
  }

  /// Puts it where it is to be, unless there is a file.
  func put() throws { try Self.put(path, at: target) }

  /// Puts a copy of it there: a file that no database is open on, not even for a last moment on
  /// another thread, whose lock-file would be that of the other name.
  func putAnew() throws {
    try FileManager.default.copyItem(atPath: path, toPath: second)
    try Self.put(second, at: target)
  }

  /// Removes what is left of it under its own name.
  func remove() {
    for name in [path, path + ".lock", second] { try? FileManager.default.removeItem(atPath: name) }
  }

  private static func put(_ copy: String, at path: String) throws {
    let written = try FileHandle(forReadingFrom: URL(fileURLWithPath: copy))
    try written.synchronize()
    try written.close()
    do { try FileManager.default.linkItem(atPath: copy, toPath: path) } catch {
      // There are no such links on every kind of disk.
      try FileManager.default.moveItem(atPath: copy, toPath: path)
    }
  }
}
