/// What a frame of kind ERROR says: why the connection, or a request, failed. The numbers are part
/// of the protocol.
public enum ErrorCode: UInt16, Hashable, Sendable {
  /// Bytes could not be decoded.
  case badFrame = 1
  /// A frame came at a time when it may not.
  case unexpectedFrame = 2
  /// There is no version of the protocol that both know.
  case noCommonVersion = 3
  /// There is no such app.
  case unknownApp = 4
  /// The access token is wrong.
  case badToken = 5
  /// The access token has run out; a new one may be sent on this connection.
  case tokenExpired = 6
  /// The client file belongs to another user.
  case foreignClientFile = 7
  /// A limit was passed.
  case beyondLimit = 8
  /// The client's clock is ahead of the server's by more than is allowed.
  case clockAhead = 9
  /// The client's file is not what the server's frames are for; it has to start over.
  case divergence = 10
  /// The server has no room, or shuts down.
  case unavailable = 11
  /// The storage of this replica failed.
  case storage = 12
}

/// What failed in sync, here or at the peer.
public struct SyncError: Error, Hashable, Sendable {
  /// What kind of failure.
  public var code: ErrorCode
  /// Words for people.
  public var message: Text

  /// An error from its parts.
  public init(_ code: ErrorCode, _ message: Text) {
    self.code = code
    self.message = message
  }
}
