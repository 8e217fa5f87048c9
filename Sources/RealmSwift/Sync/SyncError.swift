#if Sync
  public import Foundation
  import ObjectStore
  import SyncStore

  /// What went wrong with a session, as `SyncManager.errorHandler` and waits are told.
  // Sendable without the compiler's proof, as `NSError` itself is: nothing changes after `init`.
  public final class SyncError: NSError, _RealmErrorWithCode, @unchecked Sendable {
    /// The domain of every sync error.
    public static let errorDomain = "io.realm.sync"

    /// The causes, with the numbers that Apple's SDK gives them.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
      /// The server does not take the session: no such app, or another user's file.
      case clientSessionError = 4
      /// The user has to log in again.
      case clientUserError = 5
      /// Client and server do not understand each other.
      case clientInternalError = 6
      /// The file had to be brought to another history of the server, and that failed.
      case clientResetError = 7
      /// Logging in failed.
      case underlyingAuthError = 8
      /// The user may not do that.
      case permissionDeniedError = 9
      /// A query of a subscription cannot be.
      case invalidFlexibleSyncSubscriptions = 10
      /// The server has undone a write.
      case writeRejected = 11
      /// The server could not be reached.
      case connectionFailed = 12
      /// The server's certificate was not accepted.
      case tlsHandshakeFailed = 13
      /// The server has something to say that does not stop the session.
      case serverWarning = 14
    }

    /// The code of an error that has none of its own.
    public static var unknownCode: Code { .clientInternalError }

    /// Makes an error as the library would.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
      super.init(domain: Self.errorDomain, code: code.rawValue, userInfo: userInfo)
    }

    convenience init(_ code: Code, _ message: String) {
      self.init(code, userInfo: [NSLocalizedDescriptionKey: message])
    }

    /// A write that the server has undone.
    public struct CompensatingWriteInfo {
      /// The class of the object.
      public let objectType: String
      /// Why.
      public let reason: String
      /// The object's primary key.
      public let primaryKey: AnyRealmValue
    }

    static let objectsKey = "objects"

    /// The writes that the server has undone, of an error of the code `writeRejected`.
    public var compensatingWriteInfo: [CompensatingWriteInfo]? {
      guard let lines = userInfo[Self.objectsKey] as? String, !lines.isEmpty else { return nil }
      return lines.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: "\t", maxSplits: 1)
        guard parts.count == 2, let name = SyncFile.parse(name: String(parts[1])) else {
          return nil
        }
        return CompensatingWriteInfo(
          objectType: name.type, reason: String(parts[0]),
          primaryKey: AnyRealmValue(plain: name.key) ?? .none)
      }
    }

    /// Whether both have the same code and say the same of it.
    public static func == (left: SyncError, right: SyncError) -> Bool { left.isEqual(right) }

    /// Decodes an error, as `NSCoding` asks; nil if there is none.
    public required init?(coder: NSCoder) {
      super.init(coder: coder)
    }
  }

  extension SyncError.Code {
    /// Makes `catch SyncError.Code.writeRejected` match.
    public static func ~= (code: SyncError.Code, error: any Error) -> Bool {
      (error as? SyncError)?.code == code
    }
  }

  /// Why the server did not do what an account asked for.
  // Sendable without the compiler's proof, as `NSError` itself is: nothing changes after `init`.
  public final class AppError: NSError, _RealmErrorWithCode, @unchecked Sendable {
    /// The domain of every app error.
    public static let errorDomain = "io.realm.app"

    /// The causes, with the numbers that Apple's SDK gives them.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
      /// The server gave another reason; the description says which.
      case unknown = -1
      /// The server could not be reached, or did not answer.
      case httpRequestFailed = 1
      /// The session of the user is over.
      case invalidSession = 2
      /// What was sent is not what the server asks for.
      case invalidParameter = 6
      /// There is no such user.
      case userNotFound = 45
      /// There is an account of that name already.
      case accountNameInUse = 49
      /// The password is wrong.
      case invalidPassword = 50
      /// The log-in failed.
      case authError = 47
      /// There is no such API key.
      case apiKeyNotFound = 35
    }

    /// The code of an error that has none of its own.
    public static var unknownCode: Code { .unknown }

    /// Makes an error as the library would.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
      super.init(domain: Self.errorDomain, code: code.rawValue, userInfo: userInfo)
    }

    convenience init(_ code: Code, _ message: String) {
      self.init(code, userInfo: [NSLocalizedDescriptionKey: message])
    }

    /// Whether both have the same code and say the same of it.
    public static func == (left: AppError, right: AppError) -> Bool { left.isEqual(right) }

    /// Decodes an error, as `NSCoding` asks; nil if there is none.
    public required init?(coder: NSCoder) {
      super.init(coder: coder)
    }

    /// By the name that the server gives.
    static func code(named name: String?) -> Code {
      switch name {
      case "InvalidPassword": .invalidPassword
      case "InvalidSession": .invalidSession
      case "UserNotFound": .userNotFound
      case "AccountNameInUse": .accountNameInUse
      case "InvalidParameter": .invalidParameter
      case "APIKeyNotFound": .apiKeyNotFound
      case "AuthError": .authError
      default: .unknown
      }
    }
  }
#endif
