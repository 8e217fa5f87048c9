import Glibc

/// A directory of its own for one test, removed with what is in it when the test lets go of it.
final class TemporaryDirectory {
  let path: String

  init() {
    var template = Array("/tmp/holdfast-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("mkdtemp: errno \(errno)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  func file(_ name: String) -> String { path + "/" + name }

  deinit {
    guard let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      unlink(file(name))
    }
    closedir(directory)
    rmdir(path)
  }
}
