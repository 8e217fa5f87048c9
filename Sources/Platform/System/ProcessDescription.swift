import Glibc

/// How this process is shown to people. Nothing is ever decided by it: numbers mean different
/// processes in different namespaces, and are used again.
public enum ProcessDescription {
  public static var number: UInt64 { UInt64(getpid()) }

  /// The last component of the program's path.
  public static var name: String {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? path
  }
}
