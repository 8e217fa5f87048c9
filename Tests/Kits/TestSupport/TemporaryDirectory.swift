import Glibc

/// A directory of its own, removed with everything in it when nobody holds on to it.
public final class TemporaryDirectory: Sendable {
  public let path: String

  public init() {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/holdfast-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { fatalError("mkdtemp: errno \(errno)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  public func file(_ name: String) -> String { path + "/" + name }

  public func remove(_ name: String) { unsafe unlink(file(name)) }

  deinit {
    guard let directory = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      remove(name)
    }
    unsafe closedir(directory)
    unsafe rmdir(path)
  }
}
