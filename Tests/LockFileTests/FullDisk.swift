import Platform

/// The real machine, until its disk is full.
final class FullDisk: System {
  let isFull = Flag()
  private let real = PosixSystem.shared

  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    FullDiskFile(try real.openFile(path: path, mode: mode), isFull)
  }
  func removeFile(path: String) throws(SystemError) { try real.removeFile(path: path) }
  func renameFile(from: String, to: String) throws(SystemError) {
    try real.renameFile(from: from, to: to)
  }
  func fileExists(path: String) -> Bool { real.fileExists(path: path) }
  func synchronizeDirectory(containing path: String) throws(SystemError) {
    try real.synchronizeDirectory(containing: path)
  }
  func bootIdentifier() -> BootIdentifier { real.bootIdentifier() }

  var hasRealTime: Bool { real.hasRealTime }
}

private final class FullDiskFile: SystemFile {
  private let real: any SystemFile
  private let isFull: Flag

  init(_ real: any SystemFile, _ isFull: Flag) {
    self.real = real
    self.isFull = isFull
  }

  private func failIfFull(_ call: SystemCall) throws(SystemError) {
    if isFull.isSet { throw SystemError(call: call, path: path, code: 28) }
  }

  var path: String { real.path }
  var identity: FileIdentity { real.identity }
  func fileSystemKind() throws(SystemError) -> FileSystemKind { try real.fileSystemKind() }
  func size() throws(SystemError) -> UInt64 { try real.size() }
  func allocatedSize() throws(SystemError) -> UInt64 { try real.allocatedSize() }
  func linkCount() throws(SystemError) -> UInt64 { try real.linkCount() }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    try failIfFull(.write)
    try real.write(bytes, at: offset)
  }
  func read(
    into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(SystemError) -> Int {
    try real.read(into: bytes, at: offset)
  }
  func synchronize() throws(SystemError) { try real.synchronize() }
  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    try failIfFull(.fallocate)
    try real.allocate(offset: offset, length: length)
  }
  func punchHole(offset: UInt64, length: UInt64) throws(SystemError) {
    try real.punchHole(offset: offset, length: length)
  }
  func truncate(to size: UInt64) throws(SystemError) { try real.truncate(to: size) }
  func map(length: UInt64, writable: Bool) throws(SystemError) -> UnsafeMutableRawPointer {
    try real.map(length: length, writable: writable)
  }
  func unmap(_ address: UnsafeMutableRawPointer, length: UInt64) {
    real.unmap(address, length: length)
  }
  func lock(byte: UInt64, kind: LockKind, wait: Bool) throws(SystemError) -> Bool {
    try real.lock(byte: byte, kind: kind, wait: wait)
  }
  func unlock(byte: UInt64) throws(SystemError) { try real.unlock(byte: byte) }
  func isLockedByOther(byte: UInt64, kind: LockKind) throws(SystemError) -> Bool {
    try real.isLockedByOther(byte: byte, kind: kind)
  }
  func close() { real.close() }
}
