import Glibc

/// The errno values that layers above this module distinguish, under descriptive names.
/// `SystemError.code` holds one of these or another of the kernel's numbers.
public enum ErrorNumber {
  public static let notPermitted = EPERM
  public static let noSuchFile = ENOENT
  public static let inputOutput = EIO
  public static let outOfMemory = ENOMEM
  public static let accessDenied = EACCES
  public static let fileExists = EEXIST
  public static let tooManyOpenFilesInSystem = ENFILE
  public static let tooManyOpenFiles = EMFILE
  public static let isDirectory = EISDIR
  public static let noSuchDevice = ENODEV
  public static let noDevice = ENXIO
  public static let illegalSeek = ESPIPE
  public static let tooManySymbolicLinks = ELOOP
  public static let nameTooLong = ENAMETOOLONG
  public static let noSpace = ENOSPC
  public static let readOnlyFileSystem = EROFS
  public static let noLocks = ENOLCK
  public static let quotaExceeded = EDQUOT

  /// The text that goes with an errno value; 0 stands for a call that made no progress.
  public static func text(_ code: Int32) -> String {
    code == 0 ? "no progress" : String(cString: strerror(code))
  }
}
