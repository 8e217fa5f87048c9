// `catch Realm.Error.fileAccess`: the codes by name, as Apple's importer offers them.
extension RLMError {
  public static var fail: Code { .fail }
  public static var fileAccess: Code { .fileAccess }
  public static var filePermissionDenied: Code { .filePermissionDenied }
  public static var fileExists: Code { .fileExists }
  public static var fileNotFound: Code { .fileNotFound }
  public static var fileFormatUpgradeRequired: Code { .fileFormatUpgradeRequired }
  public static var incompatibleLockFile: Code { .incompatibleLockFile }
  public static var addressSpaceExhausted: Code { .addressSpaceExhausted }
  public static var schemaMismatch: Code { .schemaMismatch }
  public static var alreadyOpen: Code { .alreadyOpen }
  public static var invalidInput: Code { .invalidInput }
  public static var outOfDiskSpace: Code { .outOfDiskSpace }
  public static var incompatibleSession: Code { .incompatibleSession }
  public static var unsupportedFileFormatVersion: Code { .unsupportedFileFormatVersion }
  public static var multipleSyncAgents: Code { .multipleSyncAgents }
  public static var subscriptionFailed: Code { .subscriptionFailed }
  public static var fileOperationFailed: Code { .fileOperationFailed }
  public static var invalidDatabase: Code { .invalidDatabase }
  public static var incompatibleHistories: Code { .incompatibleHistories }
  public static var noSubscriptionForWrite: Code { .noSubscriptionForWrite }
  public static var readerTooOld: Code { .readerTooOld }
}
