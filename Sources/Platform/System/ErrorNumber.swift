import Glibc

/// The errno values that something above this module decides by, under names that say what they
/// mean. `SystemError.code` holds one of these or another of the kernel's numbers.
public enum ErrorNumber {
  public static let notPermitted = EPERM
  public static let noSuchFile = ENOENT
  public static let inputOutput = EIO
  public static let outOfMemory = ENOMEM
  public static let accessDenied = EACCES
  public static let fileExists = EEXIST
  public static let tooManyOpenFilesInSystem = ENFILE
  public static let tooManyOpenFiles = EMFILE
  public static let noSpace = ENOSPC
  public static let readOnlyFileSystem = EROFS
  public static let noLocks = ENOLCK
  public static let quotaExceeded = EDQUOT
}
