/// One paragraph of Debian's package index: a version of a package.
public struct IndexedPackage: Sendable, Equatable {
  public var name = ""
  public var version = ""
  public var architecture = ""
  public var section = ""
  public var summary = ""
  /// Bytes to download.
  public var size = 0
  /// KiB once installed.
  public var installedSize = 0
  /// Names in Depends and Pre-Depends, alternatives included, each once, in order.
  public var dependencies: [String] = []

  public init() {}

  /// Tells this version of this package from every other.
  public var identifier: String { "\(name) \(version) \(architecture)" }
}
