import Glibc
import Platform

/// Limits of the running process, for tests in processes of their own.
public enum MemoryLimit {
  /// From here on the process may have so many more bytes of memory of its own; mapped files do not
  /// count.
  public static func allowPrivateMemory(more bytes: Int) {
    guard let file = unsafe fopen("/proc/self/status", "r") else { preconditionFailure("no /proc") }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    var kilobytes = 0
    while unsafe fgets(&line, 256, file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if text.hasPrefix("VmData:") {
        kilobytes = Int(text.filter(\.isNumber)) ?? 0
      }
    }
    let size = rlim_t(kilobytes * 1024 + bytes)
    var limit = rlimit(rlim_cur: size, rlim_max: size)
    let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)
    unsafe precondition(kilobytes > 0 && setrlimit(resource, &limit) == 0, "no limit could be set")
  }
}
