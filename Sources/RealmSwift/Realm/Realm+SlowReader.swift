public import Foundation
import Storage

extension Realm {
  /// A reader, in any process, that keeps an old version for long, or much space with it.
  public struct SlowReader: Hashable, Sendable {
    /// Seconds since the version ceased to be the newest, to about a quarter of the limit.
    public let age: TimeInterval
    /// Bytes that it alone keeps from being used again; nil if
    /// ``Realm/Configuration/slowReaderRetainedBytes`` is.
    public let retainedBytes: Int?
    /// The process's number in its own namespace, and its name.
    public let processIdentifier: Int
    /// The name of the process's program.
    public let processName: String
    /// Whether it has been ended, as ``Realm/Configuration/maximumReaderAge`` asks.
    public let isEnded: Bool

    init(_ reader: Storage.SlowReader) {
      age = reader.age / .seconds(1)
      retainedBytes = reader.retainedBytes.map { Int(clamping: $0) }
      processIdentifier = Int(clamping: reader.process)
      processName = reader.processName
      isEnded = reader.isEnded
    }
  }
}
