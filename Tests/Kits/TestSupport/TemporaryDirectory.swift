import Glibc

/// A directory of its own, removed with everything in it when nobody holds on to it.
public final class TemporaryDirectory: Sendable {
  public let path: String

  public init() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/holdfast-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("mkdtemp: errno \(errno)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  public func file(_ name: String) -> String { path + "/" + name }

  public func remove(_ name: String) { unlink(file(name)) }

  deinit {
    guard let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      remove(name)
    }
    closedir(directory)
    rmdir(path)
  }
}
