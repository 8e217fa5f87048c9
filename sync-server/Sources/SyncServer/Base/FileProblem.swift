import Foundation

/// What went wrong with a file, in a line for the administrator.
struct FileProblem: Error, CustomStringConvertible {
  var description: String

  /// - Parameters:
  ///   - path: the file.
  ///   - what: what could not be done, as in "cannot be written".
  ///   - error: the error of Foundation, whose own words are for programmers.
  init(_ path: String, _ what: String, _ error: any Error) {
    description = "\(path) \(what): \(Self.reason(error))"
  }

  static func reason(_ error: any Error) -> String {
    if let posix = error as? POSIXError {
      return unsafe String(cString: strerror(posix.code.rawValue))
    }
    let error = error as NSError
    if let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error { return reason(cause) }
    if error.domain == NSPOSIXErrorDomain {
      return unsafe String(cString: strerror(Int32(error.code)))
    }
    switch CocoaError.Code(rawValue: error.code) {
    case .fileNoSuchFile, .fileReadNoSuchFile: return "there is no such file"
    case .fileReadNoPermission, .fileWriteNoPermission: return "the permission is missing"
    case .fileReadInapplicableStringEncoding, .fileReadUnknownStringEncoding: return "it is no text"
    case .fileWriteFileExists: return "there is something of that name"
    case .fileWriteOutOfSpace: return "the disk is full"
    case .fileWriteVolumeReadOnly: return "the file system is read-only"
    default: return "error \(error.code)"
    }
  }
}

extension FileManager {
  /// Makes a folder for the server's user alone, with those that it is in.
  func makePrivateFolder(_ path: String) throws {
    do {
      try createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { throw FileProblem(path, "cannot be made", error) }
  }
}

/// Reads a small file of the administrator's.
public enum AdministratorFile {
  /// The text in a file.
  ///
  /// - Throws: an error that says in words for people what is wrong with the file.
  public static func text(_ path: String) throws -> String {
    do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
      throw FileProblem(path, "cannot be read", error)
    }
  }
}
