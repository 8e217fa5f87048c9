import Foundation

/// Lets an error class carry a typed `code` beside `NSError`'s integer of the same name.
public protocol _RealmErrorWithCode: NSError {
  associatedtype Code: RawRepresentable<Int>
  static var unknownCode: Code { get }
}

extension _RealmErrorWithCode {
  /// What went wrong, as a value to compare and switch over.
  public var code: Code { Code(rawValue: (self as NSError).code) ?? Self.unknownCode }
}

/// A failure for reasons outside of the program: disk full, permissions, a damaged file, another
/// version of the schema.
///
/// An instance of an `NSError` subclass, because on Linux `catch let error as NSError` compiles for
/// any error but matches only those. All of these work:
///
/// ```swift
/// do { _ = try Realm() }
/// catch Realm.Error.filePermissionDenied { … }
/// catch let error as Realm.Error where error.code == .outOfDiskSpace { … }
/// catch let error as NSError { print(error.domain, error.localizedDescription) }
/// ```
// Sendable without the compiler's proof, as `NSError` itself is: nothing changes after `init`.
public final class RLMError: NSError, _RealmErrorWithCode, @unchecked Sendable {
  /// The domain of every `Realm.Error`.
  public static let errorDomain = "io.realm"

  /// The causes, with the numbers that Apple's SDK gives them.
  public enum Code: Int, Hashable, Sendable, CaseIterable {
    /// A failure with no code of its own; the description says what.
    case fail = 1
    /// The file could not be opened or used.
    case fileAccess = 2
    /// The process may not read or write the file.
    case filePermissionDenied = 3
    /// There is a file already where one was to be made.
    case fileExists = 4
    /// There is no file at the path, or no directory to make it in.
    case fileNotFound = 5
    /// The file has an older format that this version of the library would have to upgrade. Not
    /// thrown so far.
    case fileFormatUpgradeRequired = 6
    /// Another version of the library, with another layout of the lock-file, has the file open.
    case incompatibleLockFile = 8
    /// The file does not fit into the process's address space. Not thrown so far.
    case addressSpaceExhausted = 9
    /// The file's schema and the program's differ in a way that needs a migration.
    case schemaMismatch = 10
    /// The file is open in a way that does not allow what was asked for: in this process with
    /// another configuration, or in any process for something that needs it alone.
    case alreadyOpen = 12
    /// A value that was passed in cannot be used; the description says which.
    case invalidInput = 13
    /// There is no room on the disk. The transaction was not committed; the file is as it was.
    case outOfDiskSpace = 14
    /// Another process has the file open in a way that does not go together with this one's. Not
    /// thrown so far.
    case incompatibleSession = 15
    /// The file was written in a format that this version of the library does not know.
    case unsupportedFileFormatVersion = 16
    /// Reserved for synchronisation, as in Apple's SDK.
    case multipleSyncAgents = 17
    /// Reserved for synchronisation, as in Apple's SDK.
    case subscriptionFailed = 18
    /// A system call failed on the file.
    case fileOperationFailed = 19
    /// The file is damaged, or not a database at all.
    case invalidDatabase = 20
    /// The file's history was written for another purpose. Not thrown so far.
    case incompatibleHistories = 21
    /// Reserved for synchronisation, as in Apple's SDK.
    case noSubscriptionForWrite = 22
    /// A version was kept for longer than `Realm.Configuration.maximumReaderAge` and has been
    /// ended.
    case readerTooOld = 1001
  }

  /// The code of an error that has none of its own: ``Code/fail``.
  public static var unknownCode: Code { .fail }

  /// What a callback gets that has neither a result nor an error of its own.
  public static let callFailed = RLMError(.fail, "Call failed")

  /// Makes an error as the library would throw it.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    super.init(domain: Self.errorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// - Parameters:
  ///   - message: What failed and what to do about it.
  ///   - path: The file concerned.
  convenience init(_ code: Code, _ message: String, path: String? = nil, cause: String? = nil) {
    var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let path { userInfo[NSFilePathErrorKey] = path }
    if let cause { userInfo[NSLocalizedFailureReasonErrorKey] = cause }
    self.init(code, userInfo: userInfo)
  }

  /// Decodes an error, as `NSCoding` asks; nil if there is none.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
  }

  /// Whether both have the same code and say the same of it. Of the operators for any two objects
  /// and for any two errors, neither is the better one.
  public static func == (left: RLMError, right: RLMError) -> Bool { left.isEqual(right) }

  /// The sentence that says what failed, with the path of the file, and the code.
  public override var description: String {
    let code = Code(rawValue: (self as NSError).code) ?? Self.unknownCode
    return "\(localizedDescription) (Realm.Error.\(code), code \(code.rawValue))"
  }

  /// The file concerned, where there is one.
  public var fileURL: URL? {
    (userInfo[NSFilePathErrorKey] as? String).map { URL(fileURLWithPath: $0) }
  }
}

extension Realm {
  /// What `Realm(configuration:)`, `write`, and the other throwing functions throw.
  public typealias Error = RLMError
}

/// Whether two errors have the same domain and code, whatever else they carry.
public func == (left: any Error, right: any Error) -> Bool {
  left._code == right._code && left._domain == right._domain
}

extension RLMError.Code {
  /// Makes `catch Realm.Error.fileAccess` match.
  public static func ~= (code: RLMError.Code, error: any Error) -> Bool {
    (error as? RLMError)?.code == code
  }

  // `error.code` is seen as `NSError`'s integer where nothing asks for the enumeration.

  /// Makes `switch error.code { case .fileAccess: … }` match.
  public static func ~= (code: RLMError.Code, value: Int) -> Bool { code.rawValue == value }
}
