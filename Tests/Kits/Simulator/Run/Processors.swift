import Glibc

/// The processors that this process may run on.
enum Processors {
  /// What to start a program with so that it stays on one of them; nothing where that is not to be
  /// had.
  ///
  /// The threads of a simulation run one at a time, and to pass the baton is several times quicker
  /// where no other processor has to be woken.
  static func commandToStay(onNumber number: Int) -> [String] {
    let allowed = allowed
    guard !allowed.isEmpty, unsafe access("/usr/bin/taskset", X_OK) == 0 else { return [] }
    return ["/usr/bin/taskset", "-c", "\(allowed[number % allowed.count])"]
  }

  private static var allowed: [Int] {
    guard let file = unsafe fopen("/proc/self/status", "r") else { return [] }
    defer { unsafe fclose(file) }
    while let line = unsafe readLine(from: file) {
      guard line.hasPrefix("Cpus_allowed_list:") else { continue }
      return line.drop { !$0.isNumber }.split(separator: ",").flatMap(numbers)
    }
    return []
  }

  /// Those of "3" or "0-7".
  private static func numbers(_ range: Substring) -> [Int] {
    let ends = range.split(separator: "-").compactMap { Int($0) }
    guard let first = ends.first, let last = ends.last, first <= last else { return [] }
    return Array(first...last)
  }

  private static func readLine(from file: UnsafeMutablePointer<FILE>) -> String? {
    var bytes = [CChar](repeating: 0, count: 4096)
    guard unsafe fgets(&bytes, Int32(bytes.count), file) != nil else { return nil }
    let text = bytes.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
    return String(decoding: text, as: UTF8.self)
  }
}
