/// A reader that keeps an old version for long, or much space with it.
public struct SlowReader: Sendable, Hashable {
  public var version: Version
  /// How long it has kept the version since that ceased to be the newest, to about a quarter of the
  /// limit.
  public var age: Duration
  /// Bytes that it alone keeps from being used again, if that was asked for.
  public var retainedBytes: UInt64?
  /// By its own account: its number in its own namespace, and its name.
  public var process: UInt64
  public var processName: String
  /// What it opened the file for.
  public var label: String
  /// Whether it has been ended, because it is older than `readerAgeMaxMilliseconds`.
  public var isEnded: Bool
}
