/// How far a verification has come.
public struct VerifyProgress: Sendable {
  /// The version that is being walked, and how many are to be.
  public var version: Version
  public var versionNumber: Int
  public var versionCount: Int
  /// Bytes of the version's nodes that have been read, and about how many there are.
  public var bytesDone: UInt64
  public var bytesTotal: UInt64
}
