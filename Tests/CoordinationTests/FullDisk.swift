import Platform
import TestSupport

/// The real machine, until its disk is full.
final class FullDisk: ForwardingSystem {
  let real: any System = PosixSystem.shared
  let isFull = Flag()

  func openFile(path: String, mode: OpenMode) throws(SystemError) -> any SystemFile {
    FullDiskFile(try real.openFile(path: path, mode: mode), isFull)
  }
}

private final class FullDiskFile: ForwardingFile {
  let real: any SystemFile
  private let isFull: Flag

  init(_ real: any SystemFile, _ isFull: Flag) {
    self.real = real
    self.isFull = isFull
  }

  private func failIfFull(_ call: SystemCall) throws(SystemError) {
    if isFull.isSet { throw SystemError(call: call, path: path, code: 28) }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    try failIfFull(.write)
    try unsafe real.write(bytes, at: offset)
  }

  func allocate(offset: UInt64, length: UInt64) throws(SystemError) {
    try failIfFull(.fallocate)
    try real.allocate(offset: offset, length: length)
  }
}
