/// A version that is kept from being overwritten until `LockFile.unpin`.
@frozen public struct Pin: Sendable {
  public let published: PublishedVersion
  /// Which slot of the shared memory holds it.
  let slot: Int

  public var version: Version { published.version }
}

extension LockFile {
  /// As `publish(_:)`, and moves a pin of the version before on to the new one: for that no slot is
  /// needed, so that nothing can fail. The pin has no other holder.
  public func publish(_ newest: PublishedVersion, moving pin: Pin) -> Pin {
    publish(newest)
    return pinTable.move(pin, to: newest)
  }
}

/// A pin as the tool shows it.
public struct PinDescription: Hashable, Sendable {
  public var slot: Int
  /// The version that is kept, with what leads to its nodes.
  public var published: PublishedVersion
  public var version: Version { published.version }
  public var participant: Int
  /// The process by its own account: its number in its own namespace, and its name.
  public var process: UInt64
  public var processName: String
  /// Nanoseconds since a writer first saw that the version was not the newest any more, give or
  /// take a few milliseconds; 0 while it is, or before the first scan.
  public var age: UInt64
  public var label: String
  /// False when the process has died; the pin no longer counts then and can be taken back.
  public var isAlive: Bool
}

/// Whether a look at the pins takes back those of dead processes.
public enum Reaping: Sendable {
  case never
  /// If that was last done a second ago or longer.
  case whenDue
  case now
}
