/// A system call that failed: which one, on what, and the errno it gave.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  public var call: SystemCall
  public var path: String
  /// The errno value, or 0 where the call failed without one (a write that made no progress).
  public var code: Int32

  public init(call: SystemCall, path: String, code: Int32) {
    self.call = call
    self.path = path
    self.code = code
  }

  public var description: String {
    "\(call.rawValue) failed on \(path): \(ErrorNumber.text(code)) (errno \(code))"
  }
}

/// The calls of the seam by name, for errors and for tests that make one of them fail.
public enum SystemCall: String, Hashable, Sendable, CaseIterable {
  case open, canonicalPath, setPermissions
  case remove, rename, stat, statfs, write, read, fdatasync, fallocate, punchHole, ftruncate
  case mmap, lock, unlock, synchronizeDirectory, watch, thread
}
