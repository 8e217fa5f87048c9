import Platform

/// A stand-in for another file that hands every call on to it, as `ForwardingSystem` does for a
/// system.
public protocol ForwardingFile: SystemFile {
  var real: any SystemFile { get }
}

extension ForwardingFile {
  public var path: String { real.path }

  public var identity: FileIdentity { real.identity }

  public func fileSystemKind() throws(SystemError) -> FileSystemKind { try real.fileSystemKind() }

  public func size() throws(SystemError) -> UInt64 { try real.size() }

  public func allocatedSize() throws(SystemError) -> UInt64 { try real.allocatedSize() }

  public func linkCount() throws(SystemError) -> UInt64 { try real.linkCount() }

  public func permissions() throws(SystemError) -> FilePermissions { try real.permissions() }

  public func setPermissions(_ permissions: FilePermissions) throws(SystemError) {
    try real.setPermissions(permissions)
  }

  public func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    try unsafe real.write(bytes, at: offset)
  }

  public func read(
    into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(SystemError) -> Int {
    try unsafe real.read(into: bytes, at: offset)
  }

  public func synchronize() throws(SystemError) { try real.synchronize() }

  public var isKeptInPlace: Bool { real.isKeptInPlace }

  public func keepInPlace() { real.keepInPlace() }

  public func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    try real.allocate(offset: offset, length: length)
  }

  public func punchHole(offset: UInt64, length: UInt64) throws(SystemError) {
    try real.punchHole(offset: offset, length: length)
  }

  public func truncate(to size: UInt64) throws(SystemError) { try real.truncate(to: size) }

  public func map(length: UInt64, writable: Bool) throws(SystemError) -> UnsafeMutableRawPointer {
    try unsafe real.map(length: length, writable: writable)
  }

  public func unmap(_ address: UnsafeMutableRawPointer, length: UInt64) {
    unsafe real.unmap(address, length: length)
  }

  public func lock(byte: UInt64, kind: LockKind, wait: Bool) throws(SystemError) -> Bool {
    try real.lock(byte: byte, kind: kind, wait: wait)
  }

  public func unlock(byte: UInt64) throws(SystemError) { try real.unlock(byte: byte) }

  public func isLockedByOther(byte: UInt64, kind: LockKind) throws(SystemError) -> Bool {
    try real.isLockedByOther(byte: byte, kind: kind)
  }

  public func waitForLock(
    byte: UInt64, kind: LockKind, whenDone: @escaping @Sendable (Result<Void, SystemError>) -> Void
  ) throws(SystemError) -> any LockWait {
    try real.waitForLock(byte: byte, kind: kind, whenDone: whenDone)
  }

  public func close() { real.close() }
}
