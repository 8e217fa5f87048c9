// `catch Realm.Error.fileAccess`: the codes by name, as Apple's importer offers them.
extension RLMError {
  /// The code ``Code/fail``.
  public static var fail: Code { .fail }
  /// The code ``Code/fileAccess``.
  public static var fileAccess: Code { .fileAccess }
  /// The code ``Code/filePermissionDenied``.
  public static var filePermissionDenied: Code { .filePermissionDenied }
  /// The code ``Code/fileExists``.
  public static var fileExists: Code { .fileExists }
  /// The code ``Code/fileNotFound``.
  public static var fileNotFound: Code { .fileNotFound }
  /// The code ``Code/fileFormatUpgradeRequired``.
  public static var fileFormatUpgradeRequired: Code { .fileFormatUpgradeRequired }
  /// The code ``Code/incompatibleLockFile``.
  public static var incompatibleLockFile: Code { .incompatibleLockFile }
  /// The code ``Code/addressSpaceExhausted``.
  public static var addressSpaceExhausted: Code { .addressSpaceExhausted }
  /// The code ``Code/schemaMismatch``.
  public static var schemaMismatch: Code { .schemaMismatch }
  /// The code ``Code/alreadyOpen``.
  public static var alreadyOpen: Code { .alreadyOpen }
  /// The code ``Code/invalidInput``.
  public static var invalidInput: Code { .invalidInput }
  /// The code ``Code/outOfDiskSpace``.
  public static var outOfDiskSpace: Code { .outOfDiskSpace }
  /// The code ``Code/incompatibleSession``.
  public static var incompatibleSession: Code { .incompatibleSession }
  /// The code ``Code/unsupportedFileFormatVersion``.
  public static var unsupportedFileFormatVersion: Code { .unsupportedFileFormatVersion }
  /// The code ``Code/multipleSyncAgents``.
  public static var multipleSyncAgents: Code { .multipleSyncAgents }
  /// The code ``Code/subscriptionFailed``.
  public static var subscriptionFailed: Code { .subscriptionFailed }
  /// The code ``Code/fileOperationFailed``.
  public static var fileOperationFailed: Code { .fileOperationFailed }
  /// The code ``Code/invalidDatabase``.
  public static var invalidDatabase: Code { .invalidDatabase }
  /// The code ``Code/incompatibleHistories``.
  public static var incompatibleHistories: Code { .incompatibleHistories }
  /// The code ``Code/noSubscriptionForWrite``.
  public static var noSubscriptionForWrite: Code { .noSubscriptionForWrite }
  /// The code ``Code/readerTooOld``.
  public static var readerTooOld: Code { .readerTooOld }
}
